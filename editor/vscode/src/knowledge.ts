import * as vscode from "vscode";
import { withProgress } from "./ask";
import { showChanges } from "./changes";
import { offerUndo, type Report } from "./done";
import { chosenFolder } from "./folders";
import { message, plain } from "./plain";
import { opening } from "./selector";
import type { Requests } from "./server";

/** What the server says of a row; further keys stand beside these. */
export interface Knowledge {
  kind: "domain" | "topic" | "subtopic" | "entry" | "documents" | "document";
  path: string;
  filePath?: string;
  title: string;
  entries?: number;
  stale?: number;
  waiting?: number;
  unreviewed?: number;
  broken?: number;
  why?: string;
  uses?: number;
  updated?: string;
}

export interface Listed {
  items: Knowledge[];
  more?: number;
  tree: boolean;
  /** Documents are missing here: they are still being read. */
  reading?: boolean;
}

/** A row: a folder of the workspace, a row of the server's, what is behind the rows shown, or something to do. */
export interface Row {
  folder: vscode.WorkspaceFolder;
  item?: Knowledge;
  /** The rows from here on, of the same list. */
  from?: number;
  of?: Row;
  init?: true;
  trust?: true;
}

const icons: Readonly<Record<Knowledge["kind"], string>> = {
  domain: "library", topic: "folder", subtopic: "folder", entry: "note", documents: "book", document: "markdown",
};

const orders = [
  { label: "By name", sort: "name" },
  { label: "Most used first", sort: "use" },
  { label: "Longest unchanged first", sort: "age" },
  { label: "Stale first", sort: "stale" },
];

/** How long somebody who types rests before the view follows, in ms. */
const typing = 150;

/** How long changes are collected before the view is read anew, in ms. */
const settling = 300;

/** Domains, topics, entries and documents. Only what is opened is asked for, and nothing while the view is hidden. */
export class KnowledgeView implements vscode.TreeDataProvider<Row> {
  private readonly server: Requests;
  private readonly view: vscode.TreeView<Row>;
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private sort = "name";
  private filter = "";
  private outdated = false;
  private readonly asking = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(extension: Pick<vscode.ExtensionContext, "subscriptions">, server: Requests) {
    this.server = server;
    this.view = vscode.window.createTreeView("brv.knowledge", { treeDataProvider: this, showCollapseAll: true });
    extension.subscriptions.push(
      this.view,
      this.changes,
      this.view.onDidChangeVisibility(({ visible }) => visible && this.outdated && this.refresh()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.refresh()),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        const path = /\/\.brv\/context-tree\/(.+)$/.exec(uri.path)?.[1];
        if (path !== undefined) {
          this.refresh(); // its title may be another, of which the status knows nothing
          void this.askWhetherRight(uri, path);
        }
      }),
      new vscode.Disposable(() => clearTimeout(this.timer)),
    );
  }

  /** Something may be another than what is shown. */
  refresh(): void {
    this.outdated = true;
    clearTimeout(this.timer);
    if (this.view.visible) {
      this.timer = setTimeout(() => {
        this.outdated = false;
        this.changes.fire();
      }, settling);
    }
  }

  async getChildren(row?: Row): Promise<Row[]> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    if (row === undefined && folders.length !== 1) {
      return folders.map((folder) => ({ folder }));
    }
    const of = row?.of ?? row ?? { folder: folders[0]! };
    const from = row?.from ?? 0;
    let listed: Listed;
    try {
      listed = await this.list(of, from);
    } catch (error) {
      const stopped = error instanceof vscode.CancellationError;
      await vscode.commands.executeCommand("setContext", "brv.known", false); // the message says why nothing is shown
      this.view.message = stopped ? "The server does not run. “brv: Restart server” tries again, and says what is wrong." : plain(message(error));
      return [];
    }
    if (listed.reading) {
      this.refresh();
    }
    await vscode.commands.executeCommand("setContext", "brv.known", listed.reading !== true);
    const rows: Row[] = listed.items.map((item) => ({ folder: of.folder, item }));
    if (of.item === undefined) {
      this.view.message = this.filter === "" ? "" : `${listed.items.length} with “${this.filter}”${listed.more ? ", the first of more" : ""}`;
      if (!listed.tree && listed.items.length > 0) {
        rows.unshift({ folder: of.folder, init: true });
      }
    }
    if (row === undefined && !vscode.workspace.isTrusted && listed.tree) {
      rows.unshift({ folder: of.folder, trust: true });
    }
    return listed.more ? [...rows, { folder: of.folder, of, from: from + listed.items.length }] : rows;
  }

  private list({ folder, item }: Row, offset: number): Promise<Listed> {
    const what = this.filter !== "" ? { filter: this.filter } : { documents: item?.kind === "documents", folder: item?.path ?? "" };
    const params = { ...what, sort: this.sort, offset, uri: folder.uri.toString() };
    return this.server.request<Listed>("brv/knowledge", params, never);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const { folder, item } = row;
    if (row.init) {
      const init = new vscode.TreeItem("Start a context tree…");
      init.tooltip = "The documents below already count as knowledge. A context tree has what is not written elsewhere.";
      init.iconPath = new vscode.ThemeIcon("add");
      init.command = { title: "Start", command: "brv.initTree", arguments: [folder] };
      return init;
    }
    if (row.trust) {
      const trust = new vscode.TreeItem("Show stale entries…");
      trust.description = "needs trust";
      trust.iconPath = new vscode.ThemeIcon("shield");
      trust.tooltip = "Until then git history is not used, and entries are not compared with earlier code.";
      trust.command = { title: "Trust", command: "workbench.trust.manage" };
      return trust;
    }
    if (row.from !== undefined) {
      return new vscode.TreeItem("More…", vscode.TreeItemCollapsibleState.Collapsed);
    }
    if (item === undefined) {
      const root = new vscode.TreeItem(folder.name, vscode.TreeItemCollapsibleState.Expanded);
      root.iconPath = new vscode.ThemeIcon("root-folder");
      return root;
    }
    return knowledgeItem(row, item);
  }

  async chooseOrder(): Promise<void> {
    const items = orders.map((order) => ({ ...order, ...(order.sort === this.sort && { description: "now" }) }));
    const chosen = await vscode.window.showQuickPick(items, { title: "Order of the knowledge" });
    if (chosen !== undefined) {
      this.sort = chosen.sort;
      this.changes.fire();
    }
  }

  /** Narrows the view to what has some words, as they are typed; with none it shows all again. */
  async chooseFilter(given?: string): Promise<void> {
    if (given !== undefined) {
      return this.narrow(given);
    }
    const before = this.filter;
    const box = vscode.window.createInputBox();
    box.title = "Filter the knowledge";
    box.prompt = "Words in titles or paths. Enter keeps the filter, Escape removes it";
    box.value = before;
    box.ignoreFocusOut = true; // a click on a row that was found is no Escape
    let timer: ReturnType<typeof setTimeout> | undefined;
    let kept = false;
    box.onDidChangeValue((text) => {
      clearTimeout(timer);
      timer = setTimeout(() => void this.narrow(text), typing);
    });
    box.onDidAccept(() => {
      kept = true;
      box.hide();
    });
    box.onDidHide(() => {
      clearTimeout(timer);
      void this.narrow(kept ? box.value : before);
      box.dispose();
    });
    box.show();
  }

  private async narrow(text: string): Promise<void> {
    const filter = text.trim();
    if (filter !== this.filter) {
      this.filter = filter;
      this.changes.fire();
      await vscode.commands.executeCommand("setContext", "brv.filtered", filter !== "");
    }
  }

  /** Opens an entry beside the first code file that it names. */
  async openBeside(row = this.chosen()): Promise<void> {
    const uri = row && uriOf(row);
    if (row?.item?.kind !== "entry" || uri === undefined) {
      return;
    }
    const asked = { uri: uri.toString() };
    const here = await withProgress("Finding its code", (token) =>
      this.server.request<{ items: { about: string; filePath: string; line?: number }[] }>("brv/here", asked, token),
    );
    const code = here?.items.find(({ about }) => about === "code");
    if (code !== undefined) {
      const at = new vscode.Position(Math.max((code.line ?? 1) - 1, 0), 0);
      const file = vscode.Uri.joinPath(row.folder.uri, code.filePath);
      await vscode.window.showTextDocument(file, { viewColumn: vscode.ViewColumn.One, selection: new vscode.Range(at, at) });
    }
    await vscode.window.showTextDocument(uri, { viewColumn: code === undefined ? vscode.ViewColumn.Active : vscode.ViewColumn.Two });
  }

  /** Gives an entry, a topic or a domain another name or place. The server rewrites what leads there, as for any move. */
  async move(row = this.chosen()): Promise<void> {
    const from = row && uriOf(row);
    const path = row?.item?.path;
    if (from === undefined || path === undefined || row?.item?.kind === "document") {
      return;
    }
    const entry = row?.item?.kind === "entry";
    const form = entry ? "domain/topic/name.md" : ["domain", "domain/topic", "domain/topic/subtopic"][path.split("/").length - 1];
    const fits = (text: string) => entry ? entryForm.test(text) : folderForm.test(text) && text.split("/").length === path.split("/").length;
    const to = await vscode.window.showInputBox({
      title: `Rename or move “${row?.item?.title}”`,
      prompt: `${form}; links to it are updated`,
      value: path,
      valueSelection: [path.lastIndexOf("/") + 1, entry ? path.length - ".md".length : path.length],
      validateInput: (text) => (fits(text.trim()) ? undefined : `Type ${form}.`),
    });
    if (to === undefined || to.trim() === path) {
      return;
    }
    const edit = new vscode.WorkspaceEdit();
    const target = vscode.Uri.file(from.path.slice(0, -path.length) + to.trim()).with({ scheme: from.scheme, authority: from.authority });
    edit.renameFile(from, target);
    const unsaved = new Set(changedFiles());
    if (await vscode.workspace.applyEdit(edit)) {
      // What follows is in documents that no tab shows yet, which saveAll passes over; what the user changed stays theirs to save.
      await Promise.all(changedFiles().filter((document) => !unsaved.has(document)).map((document) => document.save()));
      this.refresh();
    } else {
      void vscode.window.showErrorMessage(`brv: ${plain(path)} could not be moved there.`);
    }
  }

  /** Puts an entry away, with the undo at hand. */
  async archive(given?: Row): Promise<void> {
    const row = given ?? this.chosen();
    if (row?.item?.kind !== "entry") {
      return;
    }
    const detail = "Its text stays in the tree's archive, and “Undo” restores it.";
    if (given === undefined && (await vscode.window.showWarningMessage(`Archive “${row.item.title}”?`, { modal: true, detail }, "Archive")) === undefined) {
      return; // arrow keys move the focus alone: the key may mean another row than the chosen one
    }
    await this.change("Archiving", "brv.archive", { paths: [row.item.path] }, row.folder.uri);
  }

  /** Changes entries, with the undo at hand. */
  private async change(title: string, command: string, request: object, folder: vscode.Uri): Promise<void> {
    const params = { command, arguments: [{ ...request, uri: folder.toString() }] };
    const report = await withProgress(title, (token) => this.server.request<Report>("workspace/executeCommand", params, token));
    this.refresh();
    if (report !== undefined && (await offerUndo(this.server, folder, report))) {
      this.refresh();
    }
  }

  /** The row that is selected, for keys. */
  private chosen(): Row | undefined {
    return this.view.selection[0];
  }

  /** Confirms the entry of a row. */
  async stillTrue(row = this.chosen()): Promise<void> {
    if (row?.item?.stale) {
      await this.confirm(row.folder.uri.toString(), row.item.path);
    }
  }

  /** Shows the entry of a row beside what changed. */
  async whatChanged(row = this.chosen()): Promise<void> {
    const uri = row && uriOf(row);
    if (row?.item?.stale && uri !== undefined) {
      await showChanges(uri);
    }
  }

  /** A stale entry that somebody changed is stale until somebody says that it is right now; who saves it is asked, once at a time. */
  private async askWhetherRight(uri: vscode.Uri, path: string): Promise<void> {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (folder === undefined || !vscode.workspace.isTrusted || !this.server.isRunning || this.asking.has(path)) {
      return;
    }
    const params = { filter: path, uri: folder.uri.toString() };
    const listed = await this.server.request<Listed>("brv/knowledge", params, never).catch(() => undefined);
    const item = listed?.items.find((item) => item.path === path && item.stale);
    if (item !== undefined) {
      this.asking.add(path);
      const right = "Yes, confirm it";
      const said = await vscode.window.showInformationMessage(`brv: “${plain(item.title)}” was stale, and you changed it. Is it correct now?`, right);
      this.asking.delete(path);
      await (said === right ? this.confirm(folder.uri.toString(), path) : undefined);
    }
  }

  /** Confirms that an entry is still true, as it stands. */
  async confirm(uri: string, path: string): Promise<void> {
    const operation = { type: "CONFIRM", path, reason: "still true, checked against what changed" };
    await this.change("Confirming", "brv.curate", { operations: [operation], hold: "none" }, vscode.Uri.parse(uri, true));
  }
}

/** What an empty context tree is made of: files that are written, or would be. */
interface Made {
  written: string[];
}

/** Makes an empty context tree in a folder once the user has said yes; what is there already stays. The server reports what it did. */
export async function initTree(server: Requests, done: () => unknown, given?: vscode.WorkspaceFolder): Promise<void> {
  const folder = given?.uri === undefined ? await chosenFolder("Start a context tree") : given;
  if (folder === undefined) {
    return;
  }
  const init = (title: string, dryRun: boolean) => {
    const request = { command: "brv.init", arguments: [{ uri: folder.uri.toString(), dryRun }] };
    return withProgress(title, (token) => server.request<Made>("workspace/executeCommand", request, token));
  };
  const plan = await init("Reading the folder", true);
  if (plan === undefined) {
    return;
  }
  if (plan.written.length > 0) {
    const detail = `New files in ${folder.uri.fsPath}: ${plan.written.join(", ")}. Nothing else is written.`;
    const question = `Start a context tree in “${folder.name}”?`;
    if ((await vscode.window.showInformationMessage(question, { modal: true, detail }, "Start")) !== "Start") {
      return;
    }
  }
  await init("Starting the context tree", false);
  await done();
}

function changedFiles(): vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(({ isDirty, isUntitled }) => isDirty && !isUntitled);
}

const entryForm = /^[^/.\s][^/]*(\/[^/.\s][^/]*){1,3}\.md$/;
const folderForm = /^[^/.\s][^/]*(\/[^/.\s][^/]*)*$/;

const never = new vscode.CancellationTokenSource().token;

function uriOf({ folder, item }: Row): vscode.Uri | undefined {
  if (item === undefined || item.kind === "documents") {
    return undefined;
  }
  return vscode.Uri.joinPath(folder.uri, item.filePath ?? `.brv/context-tree/${item.path}`);
}

function knowledgeItem(row: Row, item: Knowledge): vscode.TreeItem {
  const { kind, title, entries = 0, stale = 0, waiting = 0, unreviewed = 0, broken = 0 } = item;
  const leaf = kind === "entry" || kind === "document";
  const shown = new vscode.TreeItem(title, leaf ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed);
  const badges = [
    ...(leaf ? [] : [String(entries)]),
    ...(stale === 0 ? [] : [leaf ? "stale" : `${stale} stale`]),
    ...(waiting === 0 ? [] : [leaf && waiting === 1 ? "waits for review" : `${waiting} waiting`]),
    ...(unreviewed === 0 ? [] : [leaf && unreviewed === 1 ? "to look at" : `${unreviewed} to look at`]),
    ...(broken === 0 ? [] : [leaf && broken === 1 ? "broken" : `${broken} broken`]),
  ];
  const uri = uriOf(row);
  shown.id = `${row.folder.uri.toString()}#${kind}#${item.path}`;
  shown.description = badges.join(" · ");
  const icon = kind === "documents" && item.path !== "" ? "folder" : icons[kind];
  shown.iconPath = stale + broken > 0 && leaf ? new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground")) : new vscode.ThemeIcon(icon);
  shown.contextValue = kind === "entry" && stale > 0 ? "entry.stale" : kind;
  const facts = [item.why?.replaceAll("`", ""), item.updated && `updated ${item.updated}`, item.uses && `used ${item.uses} times`];
  shown.tooltip = [item.path, ...facts].filter((text) => text).join("\n");
  shown.accessibilityInformation = { label: `${[title, shown.description].join(" ").trim()}, ${kind}` };
  if (leaf && uri !== undefined) {
    shown.command = opening(uri, { preview: true });
  }
  return shown;
}
