import * as vscode from "vscode";
import { codeLanguages, fileOf, opening } from "./selector";
import type { Requests } from "./server";

/** What the server says of a place; further keys stand beside these. */
export interface Here {
  about: "symbol" | "file" | "relation" | "code";
  title: string;
  filePath: string;
  line?: number;
  summary?: string;
  why?: string;
  stale?: string;
}

type Row = { heading: string; rows: Here[]; folder: vscode.WorkspaceFolder } | (Here & { folder: vscode.WorkspaceFolder });

/** How long the cursor rests before anything is asked, in ms. */
const resting = 250;

/** What is known about the file in front and the symbol at the cursor. Nothing is asked while the view is hidden. */
export class HereView implements vscode.TreeDataProvider<Row> {
  private readonly server: Requests;
  private readonly view: vscode.TreeView<Row>;
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private groups: Row[] = [];
  private shown = "";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked: vscode.CancellationTokenSource | undefined;

  constructor(extension: Pick<vscode.ExtensionContext, "subscriptions">, server: Requests) {
    this.server = server;
    this.view = vscode.window.createTreeView("brv.here", { treeDataProvider: this });
    const soon = () => this.refresh();
    extension.subscriptions.push(
      this.view,
      this.changes,
      this.view.onDidChangeVisibility(soon),
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => textEditor === vscode.window.activeTextEditor && soon()),
      new vscode.Disposable(() => clearTimeout(this.timer)),
    );
  }

  refresh(): void {
    clearTimeout(this.timer);
    if (this.view.visible) {
      this.timer = setTimeout(() => void this.read(), resting);
    }
  }

  private async read(): Promise<void> {
    this.asked?.cancel();
    const source = (this.asked = new vscode.CancellationTokenSource());
    const editor = vscode.window.activeTextEditor;
    const uri = editor && fileOf(editor.document.uri);
    const folder = uri && vscode.workspace.getWorkspaceFolder(uri);
    if (editor === undefined || uri === undefined || folder === undefined || uri.scheme !== "file" || !served(editor.document)) {
      this.show([], "Open a code file or an entry to see its knowledge here.");
      return;
    }
    if (!this.server.isRunning) {
      this.show([], "");
      return;
    }
    const params = { uri: uri.toString(), position: editor.selection.active };
    const found = await this.server.request<{ symbol?: string; items: Here[] }>("brv/here", params, source.token).catch(() => undefined);
    if (found === undefined || source.token.isCancellationRequested) {
      return;
    }
    const headings: [Here["about"], string][] = [
      ["symbol", found.symbol ?? ""],
      ["file", editor.document.fileName.split(/[\\/]/).at(-1) ?? ""],
      ["code", "Code that it names"],
      ["relation", "Related entries"],
    ];
    const groups = headings
      .map(([about, heading]) => ({ heading, folder, rows: found.items.filter((item) => item.about === about) }))
      .filter(({ rows }) => rows.length > 0);
    const nothing = editor.document.languageId === "markdown"
      ? "This text names no code or entry, and no entry names it."
      : "No knowledge about this place yet. Select code and choose “Write down what the next person should know”.";
    this.show(groups, groups.length === 0 ? nothing : "");
  }

  /** Shows what is another than before: the view keeps still while the cursor moves within a symbol. */
  private show(groups: Row[], message: string): void {
    const key = JSON.stringify([groups, message]);
    if (key !== this.shown) {
      this.shown = key;
      this.groups = groups;
      this.view.message = message;
      this.changes.fire();
    }
  }

  getChildren(row?: Row): Row[] {
    if (row === undefined) {
      return this.groups;
    }
    return "rows" in row ? row.rows.map((item) => ({ ...item, folder: row.folder })) : [];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if ("rows" in row) {
      const group = new vscode.TreeItem(row.heading, vscode.TreeItemCollapsibleState.Expanded);
      group.id = `${this.groups.indexOf(row)}${row.heading}`;
      return group;
    }
    const item = new vscode.TreeItem(row.title);
    const code = row.about === "code";
    item.description = (row.stale === undefined ? (code ? row.filePath : (row.summary ?? row.why ?? "")) : `stale: ${row.stale}`).replaceAll("`", "");
    item.tooltip = [row.title, row.stale?.replaceAll("`", ""), row.summary, row.why?.replaceAll("`", ""), row.filePath].filter((text) => text).join("\n");
    item.iconPath = row.stale !== undefined
      ? new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"))
      : new vscode.ThemeIcon(code ? "symbol-method" : row.filePath.includes(".brv/context-tree/") ? "note" : "markdown");
    const at = new vscode.Position(Math.max((row.line ?? 1) - 1, 0), 0);
    const options = { preview: true, ...(row.line && { selection: new vscode.Range(at, at) }) };
    item.command = opening(vscode.Uri.joinPath(row.folder.uri, row.filePath), options);
    item.accessibilityInformation = { label: [row.title, item.description].join(" ").trim() };
    return item;
  }
}

function served({ languageId }: vscode.TextDocument): boolean {
  return languageId === "markdown" || codeLanguages.includes(languageId);
}
