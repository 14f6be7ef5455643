import { createHash } from "node:crypto";
import * as vscode from "vscode";
import { withProgress } from "./ask";
import { chosenFolder, inFolder } from "./folders";
import { plain } from "./plain";
import { opening } from "./selector";
import type { Server } from "./server";
import { files, problems, type RecentEdits, references, referencesWithin, visible, within } from "./signals";
import type { Views } from "./views";

/** What a pack shows, or would with more room; further keys stand beside these. */
interface Item {
  kind: "entry" | "code";
  path: string;
  title?: string;
  symbols?: string[];
  form: string;
  lines: [number, number];
  tokens: number;
  reason: string;
  marks?: string[];
  pinned?: boolean;
  uri: string;
}

export interface Pack {
  id?: string;
  /** The document that shows the pack, for as long as the server remembers it. Not there for an empty one. */
  uri?: string;
  text: string;
  tokens: number;
  budget: number;
  items: Item[];
  missed: Item[];
  degraded?: string[];
  /** What is pinned and not there any more. */
  gone?: string[];
  /** Why the pack is empty. */
  nothing?: string;
}

const lastPack = "brv.pack";

/** What is offered as budget: room for a handful of entries and their code. */
const usualBudget = 8000;

/** What the user decided about a pack. */
interface Chosen {
  folder: vscode.WorkspaceFolder;
  task: string;
  budgetTokens: number;
  /** Entries, sections, files, and symbols as path#Name. */
  pinned: string[];
  without: string[];
  /** What was being worked on when the task was said: an item that is pinned changes nothing about it. */
  seen: object;
}

/** A row of the view: a heading with its items, an item, one that was dropped, or what the pack is for. */
export type Row =
  | { heading: string; rows: Row[] }
  | { item: Item; state: "shown" | "missed" }
  | { dropped: string }
  | { about: "task" | "budget" };

/** The forms in plain words. */
const forms: Readonly<Record<string, string>> = {
  summary: "summary", passage: "passage", outline: "its name", skeleton: "signature", body: "excerpts", full: "all of it",
};

/** The pack for a task: its items as a view, in which they are pinned and dropped, and its text as a document that follows. */
export class PackView implements vscode.TreeDataProvider<Row> {
  private readonly server: Server;
  private readonly views: Views;
  private readonly edits: RecentEdits;
  private readonly attached: AttachedPacks;
  private readonly view: vscode.TreeView<Row>;
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly state: vscode.Memento;
  private kept: (Omit<Chosen, "folder"> & { in: string }) | undefined;
  private chosen: Chosen | undefined;
  private pack: Pack | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(extension: vscode.ExtensionContext, server: Server, views: Views, edits: RecentEdits) {
    this.server = server;
    this.views = views;
    this.edits = edits;
    this.attached = new AttachedPacks(extension);
    this.state = extension.workspaceState;
    this.kept = this.state.get(lastPack);
    this.view = vscode.window.createTreeView("brv.packed", { treeDataProvider: this, canSelectMany: true });
    const seen = () => void this.restore();
    extension.subscriptions.push(this.view, this.changes, this.view.onDidChangeVisibility(seen), server.onDidRun(seen));
  }

  /** Makes the pack of the window before anew, once somebody can see it. */
  private async restore(): Promise<void> {
    const { kept } = this;
    const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.toString() === kept?.in);
    if (kept !== undefined && folder !== undefined && this.server.isRunning && (this.view.visible || this.views.isOpen("pack"))) {
      this.kept = undefined;
      await this.inTurn(() => this.make({ ...kept, folder }, undefined, true));
    }
  }

  /** Collects knowledge and code for a task within a budget of tokens, and shows them. */
  async start(given?: { task: string; budgetTokens?: number }): Promise<Pack | undefined> {
    const folder = await chosenFolder("Pack");
    const task = folder && (given?.task ?? (await taskFromUser("Pack context for a task", "")));
    if (folder === undefined || task === undefined) {
      return undefined;
    }
    const budgetTokens = given?.budgetTokens ?? (this.chosen ?? this.kept)?.budgetTokens ?? usualBudget;
    const seen = await signals(this.edits, folder);
    const pack = await this.inTurn(() => this.make({ folder, task, budgetTokens, pinned: [], without: [], seen }));
    if (pack !== undefined && given === undefined) {
      await vscode.commands.executeCommand("brv.packed.focus");
    }
    return pack;
  }

  /** Says more of the task. */
  async grow(): Promise<void> {
    const { chosen } = this;
    const task = chosen && (await taskFromUser("Describe the task further", chosen.task));
    if (task !== undefined && task !== chosen?.task) {
      const seen = await signals(this.edits, chosen!.folder);
      await this.change(() => ({ task, seen }), true);
    }
  }

  async budget(): Promise<void> {
    const budgetTokens = this.chosen && (await budgetFromUser(this.chosen.budgetTokens));
    if (budgetTokens !== undefined) {
      await this.change(() => ({ budgetTokens }));
    }
  }

  /** Pins items, or lets go of them where all are pinned already. */
  async pin(rows: readonly Row[] = this.view.selection): Promise<void> {
    const paths = pathsOf(rows);
    await this.change(({ pinned, without }) => {
      const all = paths.length > 0 && paths.every((path) => pinned.some((name) => name === path || name.startsWith(`${path}#`)));
      const more = paths.filter((path) => !pinned.includes(path));
      return { pinned: all ? pinned.filter(isOther(paths)) : [...pinned, ...more], without: without.filter(isOther(paths)) };
    });
  }

  /** Leaves items out, or lets those in again that are. */
  async drop(rows: readonly Row[] = this.view.selection): Promise<void> {
    const paths = pathsOf(rows);
    await this.change(({ pinned, without }) => {
      const more = paths.filter((path) => !without.includes(path));
      return { pinned: pinned.filter(isOther(paths)), without: [...without.filter(isOther(paths)), ...more] };
    });
  }

  /** Adds what the user chooses: an entry, a section, a file or a symbol; or a file that is given. */
  async add(uri?: vscode.Uri): Promise<void> {
    const { chosen } = this;
    const name = chosen && (uri === undefined ? await this.somethingToAdd(chosen.folder) : nameOfFile(chosen.folder, uri));
    if (name !== undefined) {
      await this.change(({ pinned, without }) => ({ pinned: [...new Set([...pinned, name])], without: without.filter((path) => isOther([path])(name)) }));
    }
  }

  async copy(): Promise<void> {
    if (this.pack !== undefined) {
      await vscode.env.clipboard.writeText(this.pack.text);
      vscode.window.setStatusBarMessage(`brv: copied ${number(this.pack.tokens)} tokens`, 4000);
    }
  }

  async save(): Promise<void> {
    const { chosen, pack } = this;
    const uri = chosen && pack && (await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.joinPath(chosen.folder.uri, "pack.md"), filters: { Markdown: ["md"] } }));
    if (uri !== undefined) {
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(pack!.text));
    }
  }

  /** Attaches a pack to the chat: one for a task that is given, else the one of the view. */
  async send(given?: { task: string; query?: string; budgetTokens?: number }): Promise<vscode.Uri | undefined> {
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showInformationMessage("brv: this workspace is not trusted, so nothing of it is sent to a model.");
      return undefined;
    }
    if (given?.task !== undefined || this.pack === undefined) {
      const pack = await this.start(given);
      return pack && this.attached.attach(given?.task ?? this.chosen!.task, pack.text, given?.query);
    }
    return this.attached.attach(this.chosen!.task, this.pack.text);
  }

  /** Shows the text of the pack. */
  async show(): Promise<void> {
    if (this.chosen !== undefined && this.pack !== undefined) {
      await this.views.show(this.chosen.task, this.pack.text, "pack");
    }
  }

  /** Changes what was chosen; goesOn: the pack keeps what it has. */
  private change(change: (chosen: Chosen) => Partial<Chosen>, goesOn = false): Promise<void> {
    return this.inTurn(async () => {
      if (this.chosen !== undefined) {
        await this.make({ ...this.chosen, ...change(this.chosen) }, goesOn ? this.pack?.id : undefined);
      }
    });
  }

  /** Packs are made one after the other: a change begins with what the one before it left. */
  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  /** Has a pack made, and shows it. One that fails leaves all as it is. */
  private async make(chosen: Chosen, after?: string, silently = false): Promise<Pack | undefined> {
    const { folder, task, budgetTokens, pinned, without, seen } = chosen;
    const asked = { ...seen, uri: uriIn(folder, seen), task, budgetTokens, pinned, without };
    const request = (more: object, token: vscode.CancellationToken) => this.server.request<Pack>("brv/context", { ...asked, ...more }, token);
    const pack = await withProgress("Packing context", (token) =>
      after === undefined ? request({}, token) : request({ after }, token).catch(() => request({}, token)), // a server that was restarted keeps none
      silently || this.chosen?.task === task ? { viewId: "brv.packed" } : undefined,
    );
    if (pack === undefined) {
      return undefined;
    }
    const { gone = [] } = pack;
    this.kept = undefined;
    const follows = silently || this.chosen?.task === task;
    this.chosen = { ...chosen, pinned: pinned.filter((name) => !gone.includes(name)) };
    this.pack = pack;
    await this.state.update(lastPack, { ...this.chosen, folder: undefined, in: folder.uri.toString() });
    this.view.description = `${number(pack.tokens)} of ${number(pack.budget)}`;
    this.view.message = [pack.nothing ?? "", ...(pack.degraded ?? [])]
      .filter((text) => text !== "").map(plain).join("; ");
    await vscode.commands.executeCommand("setContext", "brv.hasPack", true);
    this.changes.fire();
    await this.views.show(task, pack.text, "pack", follows);
    return pack;
  }

  getChildren(row?: Row): Row[] {
    const { chosen, pack } = this;
    if (row !== undefined) {
      return "rows" in row ? row.rows : [];
    }
    if (chosen === undefined || pack === undefined) {
      return [];
    }
    const shown = (kind: Item["kind"]) => pack.items.filter((item) => item.kind === kind).map((item): Row => ({ item, state: "shown" }));
    const groups: [string, Row[]][] = [
      ["Knowledge", shown("entry")],
      ["Code", shown("code")],
      ["Left out: no room", pack.missed.map((item): Row => ({ item, state: "missed" }))],
      ["Dropped", chosen.without.map((dropped): Row => ({ dropped }))],
    ];
    const listed = groups.filter(([, rows]) => rows.length > 0).map(([heading, rows]): Row => ({ heading, rows }));
    return [{ about: "task" }, { about: "budget" }, ...listed];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if ("heading" in row) {
      return headingItem(row.heading, row.rows);
    }
    if ("about" in row) {
      return row.about === "task" ? taskItem(this.chosen!.task, this.chosen!.folder) : budgetItem(this.pack!);
    }
    if ("dropped" in row) {
      const item = new vscode.TreeItem(nameOf(row.dropped));
      Object.assign(item, { id: `dropped ${row.dropped}`, description: row.dropped, contextValue: "dropped", iconPath: new vscode.ThemeIcon("circle-slash") });
      return item;
    }
    return itemOf(row.item, row.state);
  }

  /** Lets the user choose what to add: first what the pack has no room for and what is in front, then what fits the words typed. */
  private somethingToAdd(folder: vscode.WorkspaceFolder): Promise<string | undefined> {
    const pick = vscode.window.createQuickPick<Offer>();
    pick.title = "Add to the pack";
    pick.placeholder = "An entry, a section of a document, a file or a symbol";
    pick.matchOnDescription = true;
    const nearest = [...front(folder), ...(this.pack?.missed ?? []).map((item): Offer => ({
      label: `$(${item.kind === "entry" ? "note" : "file-code"}) ${titleOf(item)}`, description: item.path, detail: `${item.tokens} tokens and more`, name: item.path,
    }))];
    pick.items = nearest;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked: vscode.CancellationTokenSource | undefined;
    const typed = async (text: string) => {
      asked?.cancel();
      const source = (asked = new vscode.CancellationTokenSource());
      pick.busy = true;
      const found = text.trim() === "" ? nearest : await this.offers(folder, text.trim(), source.token);
      if (!source.token.isCancellationRequested) {
        pick.items = found;
        pick.busy = false;
      }
    };
    return new Promise((resolve) => {
      pick.onDidChangeValue((text) => {
        clearTimeout(timer);
        timer = setTimeout(() => void typed(text), 150);
      });
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]?.name);
        pick.hide();
      });
      pick.onDidHide(() => {
        clearTimeout(timer);
        asked?.cancel();
        resolve(undefined);
        pick.dispose();
      });
      pick.show();
    });
  }

  private async offers(folder: vscode.WorkspaceFolder, text: string, token: vscode.CancellationToken): Promise<Offer[]> {
    const none = () => undefined;
    const uri = folder.uri.toString();
    const glob = `**/*${text.replaceAll(/[^\w./-]/g, "?")}*`;
    const [search, code, files] = await Promise.all([
      this.server.request<{ hits: { path: string; title: string }[] }>("brv/search", { text, limit: 8, uri }, token).catch(none),
      this.server.request<{ symbols: { name: string; container?: string; kind: string; path: string }[] }>(
        "workspace/executeCommand", { command: "brv.symbols", arguments: [{ query: text, limit: 12, uri }] }, token,
      ).catch(none),
      vscode.workspace.findFiles(new vscode.RelativePattern(folder, glob), undefined, 12, token),
    ]);
    return [
      ...(search?.hits ?? []).map(({ path, title }): Offer => ({ label: `$(note) ${title}`, description: path, name: path, alwaysShow: true })),
      ...(code?.symbols ?? []).map(({ name, container, kind, path }): Offer => {
        const whole = container ? `${container}.${name}` : name;
        return { label: `$(symbol-method) ${whole}`, description: `${kind} · ${path}`, name: `${path}#${whole}`, alwaysShow: true };
      }),
      ...files.flatMap((file): Offer[] => {
        const name = nameOfFile(folder, file);
        return name === undefined ? [] : [{ label: `$(file-code) ${nameOf(name)}`, description: name, name, alwaysShow: true }];
      }),
    ];
  }
}

interface Offer extends vscode.QuickPickItem {
  /** What is pinned. */
  name: string;
}

/** The file in front, and the selected words in it as a symbol's name. */
function front(folder: vscode.WorkspaceFolder): Offer[] {
  const editor = vscode.window.activeTextEditor;
  const name = editor && nameOfFile(folder, editor.document.uri);
  if (editor === undefined || name === undefined) {
    return [];
  }
  const at = editor.document.getWordRangeAtPosition(editor.selection.active);
  const word = at && editor.document.getText(at);
  const file: Offer = { label: `$(file-code) ${nameOf(name)}`, description: "the file in front", name };
  return word === undefined ? [file] : [file, { label: `$(symbol-method) ${word}`, description: "the symbol at the cursor", name: `${name}#${word}` }];
}

const entries = ".brv/context-tree/";

/** How a pack calls a file: an entry by its path inside the tree. */
function nameOfFile(folder: vscode.WorkspaceFolder, uri: vscode.Uri): string | undefined {
  if (uri.scheme !== "file" || vscode.workspace.getWorkspaceFolder(uri)?.uri.toString() !== folder.uri.toString()) {
    return undefined;
  }
  const path = vscode.workspace.asRelativePath(uri, false);
  return path.startsWith(entries) ? path.slice(entries.length) : path;
}

/** Whether what is pinned or dropped is none of these files and entries, and no symbol in one. */
function isOther(paths: readonly string[]): (name: string) => boolean {
  return (name) => !paths.some((path) => name === path || name.startsWith(`${path}#`));
}

function pathsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => ("item" in row ? [row.item.path] : "dropped" in row ? [row.dropped] : [])))];
}

function nameOf(path: string): string {
  const [file = "", section] = path.split(" › ");
  return section ?? file.replace(/\/(context|_index)\.md$/, "").replace(/^.*\//, "").replace(/\.md$/, "");
}

/** An entry by its title, code by its file and what of it is shown. */
function titleOf({ path, title, symbols = [] }: Item): string {
  const [symbol, ...more] = symbols;
  return title || `${nameOf(path)}${symbol === undefined ? "" : `:${symbol}`}${more.length === 0 ? "" : ", …"}`;
}

function number(n: number): string {
  return n.toLocaleString("en");
}

function headingItem(heading: string, rows: Row[]): vscode.TreeItem {
  const item = new vscode.TreeItem(heading, heading.startsWith("Left") ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.Expanded);
  item.id = heading;
  const tokens = rows.reduce((sum, row) => sum + ("item" in row && row.state === "shown" ? row.item.tokens : 0), 0);
  item.description = tokens === 0 ? String(rows.length) : `${number(tokens)} tokens`;
  return item;
}

function taskItem(task: string, folder: vscode.WorkspaceFolder): vscode.TreeItem {
  const item = new vscode.TreeItem(task.replaceAll(/\s+/g, " "));
  item.id = "task";
  item.description = inFolder(folder).replace(/: $/, "");
  item.tooltip = `${task}\n\nClick to describe it in more detail.`;
  item.iconPath = new vscode.ThemeIcon("target");
  item.command = { title: "Describe the task further", command: "brv.pack.grow" };
  item.accessibilityInformation = { label: `Task: ${task}` };
  return item;
}

/** The meter: how much of the budget is used. */
function budgetItem({ tokens, budget }: Pack): vscode.TreeItem {
  const used = Math.round((tokens / budget) * 100);
  const full = Math.round(used / 10);
  const item = new vscode.TreeItem(`${"▰".repeat(full)}${"▱".repeat(10 - full)} ${used} %`);
  item.id = "budget";
  item.description = `${number(tokens)} of ${number(budget)} tokens`;
  item.tooltip = `${item.description}\n\nChange the budget`;
  item.iconPath = new vscode.ThemeIcon("dashboard");
  item.command = { title: "Change the budget", command: "brv.pack.budget" };
  item.accessibilityInformation = { label: `Budget: ${tokens} of ${budget} tokens, ${used} percent` };
  return item;
}

function itemOf(shows: Item, state: "shown" | "missed"): vscode.TreeItem {
  const { kind, path, symbols = [], form, lines, tokens, reason, marks = [], pinned = false, uri } = shows;
  const item = new vscode.TreeItem(titleOf(shows));
  const shown = state === "shown";
  item.id = `${state} ${kind} ${path}`;
  const other = /^([\w-]{2,40}):/.exec(path)?.[1]; // the tree of the user that it is of
  item.description = [...(other === undefined ? [] : [other]), `${number(tokens)}`, forms[form] ?? form, ...(marks.length > 0 ? ["⚠"] : []), ...(pinned ? ["pinned"] : [])].join(" · ");
  item.tooltip = [path, symbols.join(", "), ...marks, reason].filter((text) => text).join("\n").replaceAll("`", "");
  item.contextValue = shown ? (pinned ? "pinned" : "shown") : "missed";
  const icon = pinned ? "pinned" : marks.length > 0 ? "warning" : kind === "entry" ? "note" : "file-code";
  item.iconPath = new vscode.ThemeIcon(icon, marks.length > 0 ? new vscode.ThemeColor("list.warningForeground") : undefined);
  const at = new vscode.Position(Math.max(lines[0] - 1, 0), 0);
  item.command = opening(vscode.Uri.parse(uri, true), { preview: true, selection: new vscode.Range(at, at) });
  item.accessibilityInformation = { label: [titleOf(shows), other ?? "", `${tokens} tokens`, forms[form] ?? form, pinned ? "pinned" : "", ...marks].filter((text) => text).join(", ") };
  return item;
}

/** What is being worked on is in the folder of the pack, or the pack is about the folder. */
function uriIn(folder: vscode.WorkspaceFolder, seen: { uri?: string }): string {
  const known = seen.uri === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(seen.uri, true));
  return known?.uri.toString() === folder.uri.toString() ? seen.uri! : folder.uri.toString();
}

/**
 * The folder, and what is being worked on in it: that counts for more. What lies in
 * another folder the server leaves out.
 */
export async function signals(edits: RecentEdits, about: vscode.WorkspaceFolder): Promise<object> {
  const editor = vscode.window.activeTextEditor;
  const inside = editor !== undefined && vscode.workspace.getWorkspaceFolder(editor.document.uri) !== undefined;
  const uri = inside ? editor.document.uri.toString() : about.uri.toString();
  const all = { uri, openFiles: files(tabs(), uri), edits: edits.list(Date.now()) };
  return inside ? { ...all, ...(await around(editor)) } : all;
}

/** The cursor and what is known around it. */
async function around(editor: vscode.TextEditor): Promise<object> {
  const { uri } = editor.document;
  const { line, character } = editor.selection.active;
  const shown = visible(editor.visibleRanges);
  const found = await within(
    referencesWithin,
    vscode.commands.executeCommand<vscode.Location[] | undefined>("vscode.executeReferenceProvider", uri, editor.selection.active),
  );
  return {
    position: { line, character },
    ...(shown && { visible: shown }),
    diagnostics: problems(uri.toString(), vscode.languages.getDiagnostics(uri), editor.selection.active),
    references: references(found ?? []),
  };
}

/** What is open, also behind other tabs. */
function* tabs(): Generator<vscode.Uri> {
  for (const group of vscode.window.tabGroups.all) {
    for (const { input } of group.tabs) {
      if (input instanceof vscode.TabInputText) {
        yield input.uri;
      }
    }
  }
}

/**
 * Attaches a pack to the chat, with its task as the beginning of a request. The chat takes files only: the pack is
 * written into the extension's own storage, one file a task, and those of the window before are deleted.
 */
class AttachedPacks {
  private readonly storage: vscode.Uri;
  private emptied = false;

  constructor(extension: vscode.ExtensionContext) {
    this.storage = vscode.Uri.joinPath(extension.storageUri ?? extension.globalStorageUri, "packs");
  }

  async attach(task: string, text: string, query = task): Promise<vscode.Uri | undefined> {
    if (text === "") {
      void vscode.window.showInformationMessage("brv: nothing was found for this task.");
      return undefined;
    }
    const file = await this.write(task, text);
    await vscode.commands.executeCommand("workbench.action.chat.open", { query, isPartialQuery: true, attachFiles: [file] });
    return file;
  }

  private async write(task: string, text: string): Promise<vscode.Uri> {
    if (!this.emptied) {
      this.emptied = true;
      const nothing = () => {}; // there may be none
      await vscode.workspace.fs.delete(this.storage, { recursive: true }).then(nothing, nothing);
    }
    const name = createHash("sha256").update(task).digest("hex").slice(0, 12);
    const file = vscode.Uri.joinPath(this.storage, `brv-pack-${name}.md`);
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text)); // makes the folder
    return file;
  }
}

function taskFromUser(title: string, value: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title,
    value,
    valueSelection: [value.length, value.length],
    placeHolder: "Limit refresh tokens to one device",
    prompt: "What do you want to do?",
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "Describe the task." : undefined),
  });
}

async function budgetFromUser(now: number): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title: "Budget of the pack",
    value: String(now),
    prompt: "The most tokens that the pack may have, 1 to 1,000,000",
    ignoreFocusOut: true,
    validateInput: (text) => (/^[1-9][0-9]{0,5}$|^1000000$/.test(text.trim()) ? undefined : "Type a number from 1 to 1000000."),
  });
  return text === undefined ? undefined : Number(text);
}
