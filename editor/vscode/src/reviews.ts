import * as vscode from "vscode";
import { withProgress } from "./ask";
import { offerUndo, type Report } from "./done";
import { chosenFolder } from "./folders";
import { message as saidBy, plain } from "./plain";
import { Drafts, draftScheme, type Place, placeOf, type Proposed, reviewScheme, sameFolder, Texts, uriOf } from "./proposed";
import { showChanges } from "./changes";
import type { Requests } from "./server";
import { type ReviewCounts, saidOfReviews } from "./status";

export const viewId = "brv.reviewQueue";

/** A batch of which something waits for a decision. */
export interface Review {
  batch: number;
  time: string;
  author?: string;
  origin?: { kind?: string; tool?: string; model?: string; commit?: string };
  items: ReviewItem[];
}

export interface ReviewItem {
  operation: { type: string; title?: string; reason?: string };
  /** Nothing is changed yet; false: it was done already, and rejecting takes it back. */
  held: boolean;
  path: string;
  message: string;
  /** Why it cannot be approved as the tree is now. */
  blocked?: string;
}

/** A row of the view: a batch, or with an item one of its operations; a batch of one is the row of that. */
export interface Row {
  folder: vscode.WorkspaceFolder;
  review: Review;
  item?: ReviewItem;
  /** Further operations of the batch that are decided with it. */
  also?: ReviewItem[];
  /** The folder of the tree of which these are all operations of the batch. */
  group?: string;
}

/** A change or a decision of the past; further keys stand beside these. */
export interface Logged {
  id: number;
  time: string;
  action: string;
  author?: string;
  of?: number;
  reasons?: string[];
  files?: string[];
  about?: string[];
  undoable?: boolean;
}

/** A row of the history; without a change it is the heading. */
export interface Past {
  folder: vscode.WorkspaceFolder;
  change?: Logged;
}

/** So many changes the history lists. */
const mostPast = 30;

/** A batch of more operations has a row for each folder: these fit beside the other views. */
const mostFlat = 10;

/** The operations that write a text. */
const writing = ["ADD", "UPDATE", "UPSERT", "MERGE"];

const icons: Readonly<Record<string, string>> = {
  ADD: "diff-added", UPDATE: "diff-modified", UPSERT: "diff-modified", MERGE: "git-merge", DELETE: "diff-removed",
  MOVE: "diff-renamed", CONFIRM: "check", ARCHIVE: "archive", RESTORE: "history",
};

/** The files of reviews, and their folders: a file that is written as soon as its folder is there may not be told. */
const reviewFiles = "**/.brv/{state,state/review,state/review/*.json}";

/** How long changes of the review's files are collected before the view is read anew, in ms: a batch writes several. */
const settling = 200;

/**
 * What waits for a decision, as a view, and the decisions. Whoever proposes writes a file for each batch that waits,
 * also another process; the view is read anew when one of them changes, and when the user comes back to it.
 *
 * What is proposed is shown as plain text: rows and their tips are strings, texts are documents.
 */
export class Reviews implements vscode.TreeDataProvider<Row | Past> {
  private readonly server: Requests;
  private readonly waiting: (counts: ReviewCounts) => void;
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view: vscode.TreeView<Row | Past>;
  private readonly done = new vscode.EventEmitter<void>();
  /** Fires when something was decided or undone. */
  readonly onDidDecide = this.done.event;
  private said: string | undefined; // why the last one was rejected
  private reason: string | undefined; // of those that are rejected with it
  private readonly undoing = new Set<number>();
  private readonly beside = new Map<string, Place>();
  private trees: vscode.WorkspaceFolder[] = [];
  private readonly texts = new Texts((place) => this.proposed(place));
  private readonly drafts = new Drafts();
  private rows: Row[] = [];
  private selected: Row[] = []; // by the user; the view itself forgets them for the moment in which it is drawn anew
  private readonly pasts = new Map<string, Past[]>(); // the histories that were opened, by their folders
  private readonly long = new Set<string>(); // batches with a row for each folder, which they keep while they become shorter
  private timer: ReturnType<typeof setTimeout> | undefined;
  private reading: Promise<void> = Promise.resolve();

  constructor(extension: Pick<vscode.ExtensionContext, "subscriptions">, server: Requests, waiting: (counts: ReviewCounts) => void) {
    this.server = server;
    this.waiting = waiting;
    this.view = vscode.window.createTreeView(viewId, { treeDataProvider: this, canSelectMany: true });
    const watcher = vscode.workspace.createFileSystemWatcher(reviewFiles);
    const soon = () => this.refreshSoon();
    extension.subscriptions.push(
      this.view,
      this.changes,
      watcher, watcher.onDidCreate(soon), watcher.onDidChange(soon), watcher.onDidDelete(soon),
      vscode.workspace.onDidChangeWorkspaceFolders(soon),
      this.view.onDidChangeSelection(({ selection }) => void (this.selected = reviewRows(selection))),
      this.view.onDidChangeVisibility(({ visible }) => visible && (this.changes.fire(), soon())),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && soon()),
      vscode.workspace.registerTextDocumentContentProvider(reviewScheme, this.texts),
      vscode.workspace.registerFileSystemProvider(draftScheme, this.drafts, { isCaseSensitive: true }),
      new vscode.Disposable(() => clearTimeout(this.timer)),
    );
  }

  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), settling);
  }

  /** Reads anew what waits, in all folders. A server that does not run is not started for it. */
  refresh(): Promise<void> {
    this.reading = this.reading.catch(() => {}).then(() => (this.server.isRunning ? this.read() : undefined));
    return this.reading;
  }

  private async read(): Promise<void> {
    this.view.message = "";
    const folders = vscode.workspace.workspaceFolders ?? [];
    const lists = await Promise.all(folders.map((folder) => this.list(folder)));
    const opened = folders.filter((folder) => this.pasts.has(folder.uri.toString()));
    const before = this.content();
    await Promise.all(opened.map((folder) => this.listPast(folder).catch(() => [])));
    this.rows = lists.flatMap((list) => list ?? []);
    for (const row of this.rows) {
      if (row.review.items.length > mostFlat && new Set(row.review.items.map(({ path }) => folderOf(path))).size > 1) {
        this.long.add(keyOf(row));
      }
    }
    this.trees = folders.filter((_, at) => lists[at] !== undefined);
    const counts = countOf(this.rows.flatMap(({ review }) => review.items));
    this.view.description = counts.pending === 0 ? "nothing waits" : "";
    this.view.badge = counts.pending === 0 ? undefined : { value: counts.pending, tooltip: saidOfReviews(counts).join(", ") };
    this.waiting(counts);
    this.texts.refresh((place) => this.waits(place));
    const open = new Set(tabs().map(({ uri }) => uri.toString()));
    this.drafts.end((uri) => {
      const place = placeOf(uri);
      return (place === undefined || !this.waits(place)) && !open.has(uri.toString());
    });
    if (this.content() !== before) { // while a view is drawn anew the editor knows none of its rows: clicks and keys act on nothing
      this.changes.fire();
    }
    const texts = this.rows.flatMap((row) => rowsOf(row, row.review.items)).filter(hasText);
    await vscode.commands.executeCommand("setContext", "brv.review.texts", texts.map((row) => uriOf(placeOfRow(row)!, "after").toString()));
    await vscode.commands.executeCommand("setContext", "brv.hasTree", lists.some((list) => list !== undefined));
  }

  /** What the rows are made of. */
  private content(): string {
    return JSON.stringify([this.rows, this.trees, ...this.pasts]);
  }

  /** Whether something about a place is still to be decided. */
  private waits({ folder, batch, path }: Place): boolean {
    return this.rows.some((row) => sameFolder(row.folder, folder) && row.review.batch === batch && row.review.items.some((item) => item.path === path));
  }

  /** What waits in a folder; undefined where there is no context tree. */
  private async list(folder: vscode.WorkspaceFolder): Promise<Row[] | undefined> {
    try {
      const { reviews } = await this.run<{ reviews: Review[] }>("brv.reviews", folder, {});
      return reviews.map((review) => ({ folder, review }));
    } catch (error) {
      if (!(await hasTree(folder))) {
        return undefined;
      }
      this.view.message = plain(`${folder.name}: ${saidBy(error)}`);
      return [];
    }
  }

  private proposed({ folder, batch, path }: Place): Promise<Proposed> {
    return this.run<Proposed>("brv.proposed", folder, { batch, path });
  }

  private run<Result>(command: string, folder: vscode.WorkspaceFolder, request: object, token = never): Promise<Result> {
    const params = { command, arguments: [{ ...request, uri: folder.uri.toString() }] };
    return this.server.request<Result>("workspace/executeCommand", params, token);
  }

  getChildren(): (Row | Past)[];
  getChildren(row: Row): Row[];
  getChildren(row: Row | Past | undefined): (Row | Past)[] | Promise<Past[]>;
  getChildren(row?: Row | Past): (Row | Past)[] | Promise<Past[]> {
    if (row === undefined) {
      return [...this.rows.map(top), ...this.trees.map((folder) => ({ folder }))];
    }
    if (!("review" in row)) {
      return row.change === undefined ? (this.pasts.get(row.folder.uri.toString()) ?? this.listPast(row.folder)) : [];
    }
    if (row.group !== undefined) {
      return rowsOf(row, itemsOf(row));
    }
    return row.item === undefined ? (this.groups(row) ?? rowsOf(row, row.review.items)) : [];
  }

  private async past(folder: vscode.WorkspaceFolder): Promise<Past[]> {
    const { changes } = await this.run<{ changes: Logged[] }>("brv.log", folder, { limit: mostPast });
    return changes.map((change) => ({ folder, change }));
  }

  private async listPast(folder: vscode.WorkspaceFolder): Promise<Past[]> {
    const past = await this.past(folder);
    this.pasts.set(folder.uri.toString(), past);
    return past;
  }

  getParent(row: Row | Past): Row | undefined {
    const { folder, review, item, group } = row as Row;
    const batch = item && this.rows.find((row) => sameFolder(row.folder, folder) && row.review.batch === review.batch);
    if (batch === undefined || batch.review.items.length === 1) {
      return undefined;
    }
    return (group === undefined ? this.groups(batch)?.find((each) => each.group === folderOf(item!.path)) : undefined) ?? batch;
  }

  getTreeItem(row: Row | Past): vscode.TreeItem {
    if (!("review" in row)) {
      return pastItem(row);
    }
    return row.item === undefined ? batchItem(row) : row.group === undefined ? operationItem(row, row.item, this.getParent(row)?.group) : groupItem(row, row.group);
  }

  /** Shows a batch in the view, and the difference of its first operation. */
  async open(folder: vscode.WorkspaceFolder, batch: number): Promise<void> {
    await this.refresh();
    const found = this.rows.find((row) => sameFolder(row.folder, folder) && row.review.batch === batch);
    let first = found && top(found);
    while (first !== undefined && (first.item === undefined || first.group !== undefined)) {
      first = this.getChildren(first)[0];
    }
    if (first !== undefined) {
      await this.view.reveal(first, { select: true, focus: true, expand: true });
      await this.show(first);
    }
  }

  /** Shows what an operation would change, side by side; what is new as it is. */
  async show(row: Row): Promise<void> {
    const place = placeOfRow(row);
    if (place !== undefined && row.item?.operation.type === "CONFIRM") {
      await this.showBeside(place);
    } else if (place !== undefined) {
      const proposed = await this.fetched(place);
      await (proposed && shown(place, proposed, "after", whatOf(row.item!)));
    }
  }

  /** A confirmation changes next to nothing in the entry: what is to be decided on is the entry beside what changed in the code. */
  private async showBeside(place: Place): Promise<void> {
    const entry = vscode.Uri.joinPath(place.folder.uri, ".brv/context-tree", place.path);
    const changed = await showChanges(entry, true);
    if (changed !== undefined) {
      this.beside.set(changed.toString(), place);
      await vscode.commands.executeCommand("setContext", "brv.review.beside", [...this.beside.keys()]);
    }
  }

  private target(chosen: Row | vscode.Uri | undefined): Target | undefined {
    const uri = chosen === undefined ? vscode.window.activeTextEditor?.document.uri : "review" in chosen ? undefined : chosen;
    const place = uri && this.beside.get(uri.toString());
    return place === undefined ? target(chosen) : { folder: place.folder, batch: place.batch, places: [place] };
  }

  /** What is proposed. Nobody who walks over the rows wants a message with each. */
  private fetched(place: Place): Promise<Proposed | undefined> {
    return withProgress("Reading what is proposed", () => this.texts.get(place), { viewId });
  }

  /** Opens the proposed text to be changed, beside the present one. */
  async edit(chosen?: Row | vscode.Uri): Promise<void> {
    const place = this.target(chosen)?.places?.[0];
    if (!trusted() || place === undefined) {
      return;
    }
    const proposed = await this.fetched(place);
    if (proposed?.editable === false) {
      void vscode.window.showInformationMessage(`brv: ${plain(place.path)}: this operation has no text to edit.`);
    } else if (proposed !== undefined) {
      this.drafts.begin(uriOf(place, "draft"), proposed.after);
      await shown(place, proposed, "draft", draftTitle);
    }
  }

  /** Does what was proposed: a batch, or one operation of it. */
  async approve(chosen?: Row | vscode.Uri): Promise<Report | undefined> {
    const draft = this.changedDraft(this.target(chosen));
    const [asProposed, openDraft] = ["Approve as proposed", "Open the draft"];
    if (draft !== undefined) {
      const said = `brv: you changed the draft of ${plain(draft.path)}.`;
      const choice = await vscode.window.showWarningMessage(said, asProposed, openDraft);
      if (choice !== asProposed) {
        await (choice === openDraft ? this.edit(uriOf(draft, "draft")) : undefined);
        return undefined;
      }
    }
    return this.decide("Approving", "brv.approve", chosen, {});
  }

  /** A place of what is to be decided whose text the user has changed, here or before in this window. */
  private changedDraft(about: Target | undefined): Place | undefined {
    return about && this.drafts.changed().find((place) => within(about, place) && this.waits(place));
  }

  /** Does what was proposed with the text of the draft in front. */
  async approveDraft(uri = vscode.window.activeTextEditor?.document.uri): Promise<Report | undefined> {
    const place = uri?.scheme === draftScheme ? placeOf(uri) : undefined;
    const draft = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri?.toString());
    if (uri === undefined || place === undefined || draft === undefined) {
      return undefined;
    }
    return this.decide("Approving", "brv.approve", uri, { texts: { [place.path]: draft.getText() } });
  }

  /** Drops what was proposed, and takes back what was done already. Why is asked for, unless it is given. */
  async reject(chosen?: Row | vscode.Uri, given?: { reason: string }): Promise<Report | undefined> {
    const about = this.target(chosen);
    if (!trusted() || about === undefined) {
      return undefined;
    }
    const [only, ...more] = about.places ?? [];
    const what = only === undefined ? "the whole batch" : `“${wordsOf(only.path)}”${more.length === 0 ? "" : ` and ${more.length} more`}`;
    const prompt = "Reason for the log of the tree; can be empty";
    const reason = given?.reason ?? this.reason ?? (await vscode.window.showInputBox({ title: `Reject ${plain(what)}`, prompt, ignoreFocusOut: true }));
    this.said = reason;
    if (reason === undefined) {
      return undefined;
    }
    return this.decide("Rejecting", "brv.reject", chosen, reason.trim() === "" ? {} : { reason: reason.trim() });
  }

  private async decide(title: string, command: string, chosen: Row | vscode.Uri | undefined, more: object): Promise<Report | undefined> {
    const about = this.target(chosen);
    if (!trusted() || about === undefined) {
      return undefined;
    }
    const { folder, batch, places } = about;
    const request = { batch, ...(places && { paths: places.map(({ path }) => path) }), ...more };
    const report = await withProgress(title, (token) => this.run<Report>(command, folder, request, token));
    if (report !== undefined && (await settled(about, report)) && command === "brv.approve") {
      void this.offerUndo(folder, report);
    }
    await this.closeBeside(about);
    await this.refresh();
    this.done.fire();
    return report;
  }

  /**
   * Decides on several rows: on those of a batch as one decision, so that one undo takes it back. A batch or a folder that
   * is chosen with rows of its own means just these: a list that is walked by keys keeps the row that was clicked before.
   */
  async each(chosen: readonly (Row | Past)[], decide: (row: Row) => Promise<unknown>): Promise<void> {
    const rows = reviewRows(chosen);
    const all: Row[] = [];
    const width = ({ item, group }: Row) => (item === undefined ? 2 : group === undefined ? 0 : 1);
    for (const row of rows.toSorted((a, b) => width(a) - width(b))) { // folders after their rows, batches last
      const { folder, review } = row;
      const at = all.findIndex((each) => each.review.batch === review.batch && sameFolder(each.folder, folder));
      const batch = all[at];
      const items = itemsOf(row);
      if (batch === undefined) {
        all.push(row);
      } else if (!items.some((item) => itemsOf(batch).includes(item))) {
        all[at] = { ...batch, also: [...(batch.also ?? []), ...items] };
      }
    }
    for (const [at, row] of all.entries()) {
      await decide(row);
      this.reason = at + 1 < all.length && this.said !== undefined ? this.said : undefined; // why is asked once
    }
    this.said = undefined;
  }

  private async offerUndo(folder: vscode.WorkspaceFolder, report: Report): Promise<void> {
    if (await offerUndo(this.server, folder.uri, report)) {
      await this.refresh();
      this.done.fire();
    }
  }

  /** Decides on what is chosen in the view, for keys: what comes next is chosen then. */
  async decideSelected(decide: (row: Row) => Promise<unknown>): Promise<void> {
    const shown = reviewRows(this.view.selection);
    const waiting = new Set(this.leaves().map(keyOf));
    const chosen = shown.length > 0 ? shown : this.selected.filter((row) => row.item === undefined || waiting.has(keyOf(row)));
    const gone = new Set(chosen.flatMap((row) => (row.item === undefined ? row.review.items : itemsOf(row)).map((item) => keyOf({ ...row, item }))));
    const left = (row: Row) => !gone.has(keyOf(row));
    const before = this.leaves();
    const last = before.findLastIndex((row) => !left(row));
    const next = before.slice(last + 1).find(left) ?? before.findLast(left);
    await this.each(chosen, decide);
    const after = this.leaves();
    const following = next && after.every(left) && after.find((row) => keyOf(row) === keyOf(next));
    if (following) {
      await this.view.reveal(following, { select: true, focus: true });
    }
  }

  /** The folders of a long batch as rows. */
  private groups({ folder, review }: Row): Row[] | undefined {
    const names = this.long.has(keyOf({ folder, review })) ? [...new Set(review.items.map(({ path }) => folderOf(path)))].toSorted() : undefined;
    return names?.flatMap((group) => {
      const [item, ...also] = review.items.filter(({ path }) => folderOf(path) === group);
      return item === undefined ? [] : [{ folder, review, group, item, also }];
    });
  }

  /** The operations that wait, in the order in which the view lists them. */
  private leaves(): Row[] {
    return this.rows.flatMap((row) => (this.groups(row) ?? [row]).flatMap((part) => rowsOf(part, part.group === undefined ? row.review.items : itemsOf(part))));
  }

  private async closeBeside(about: Target): Promise<void> {
    for (const [uri, place] of this.beside) {
      if (within(about, place)) {
        this.beside.delete(uri);
        await vscode.window.tabGroups.close(tabs().filter((shown) => shown.uri.toString() === uri).map(({ tab }) => tab), true);
      }
    }
  }

  /** Takes a change or a decision back; which, the user chooses where it is not given. */
  async undo(given?: Past): Promise<void> {
    const folder = given?.folder ?? (await chosenFolder("Undo"));
    if (!trusted() || folder === undefined) {
      return;
    }
    const change = given?.change ?? (await this.chosenChange(folder));
    if (change === undefined || this.undoing.has(change.id)) { // a double click
      return;
    }
    this.undoing.add(change.id);
    const report = await withProgress("Undoing", (token) => this.run<Report>("brv.undo", folder, { batch: change.id }, token));
    this.undoing.delete(change.id);
    const failed = report?.applied.filter(({ status }) => status === "failed") ?? [];
    if (failed.length > 0) {
      void vscode.window.showWarningMessage(`brv: not undone: ${plain(failed.map(({ path, message }) => `${path}: ${message}`).join("; "))}`);
    } else if (report !== undefined) {
      void vscode.window.showInformationMessage(`brv: undone: ${plain(pastTitle(change))}.`);
    }
    await this.refresh();
    this.done.fire();
  }

  private async chosenChange(folder: vscode.WorkspaceFolder): Promise<Logged | undefined> {
    const all = await withProgress("Reading the history", () => this.past(folder));
    const items = (all ?? []).flatMap(({ change }) => (change?.undoable ? [{ label: pastTitle(change), description: ago(change.time), detail: change.reasons?.join(" · ") ?? "", change }] : []));
    if (items.length === 0) {
      void vscode.window.showInformationMessage("brv: there is nothing to undo.");
    }
    return items.length === 0 ? undefined : (await vscode.window.showQuickPick(items, { title: "Undo a change of the tree", matchOnDetail: true }))?.change;
  }
}

/** The operations that a row is about; none of a batch as a whole. */
function itemsOf({ item, also = [] }: Row): ReviewItem[] {
  return item === undefined ? [] : [item, ...also];
}

function rowsOf({ folder, review }: Row, items: ReviewItem[]): Row[] {
  return items.map((item) => ({ folder, review, item }));
}

/** What a batch or an operation of it is known by while others are decided. */
function keyOf({ folder, review, item }: Row): string {
  return `${folder.uri.toString()}#${review.batch}#${item?.path}`;
}

/** The row of a batch. */
function top(row: Row): Row {
  const [only, ...more] = row.review.items;
  return only === undefined || more.length > 0 ? row : { ...row, item: only };
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Closes the editors of what was decided; or says what was not done, which goes on waiting. */
async function settled(about: Target, { applied }: Report): Promise<boolean> {
  const failed = applied.filter(({ status }) => status === "failed");
  if (failed.length > 0) {
    const all = failed.map(({ path, message }) => `${path}: ${message}`).join("\n");
    void vscode.window.showWarningMessage(`brv: not done, still waiting: ${plain(all)}`);
    return false;
  }
  await closeEditors((place) => within(about, place));
  return true;
}

async function hasTree(folder: vscode.WorkspaceFolder): Promise<boolean> {
  return vscode.workspace.fs.stat(vscode.Uri.joinPath(folder.uri, ".brv/context-tree")).then(
    () => true,
    () => false,
  );
}

const never = new vscode.CancellationTokenSource().token;

/** How many operations wait, and how many are done already. */
function countOf(items: ReviewItem[]): ReviewCounts {
  const pending = items.filter(({ held }) => held).length;
  return { pending, unreviewed: items.length - pending };
}

/** What a batch would do. */
function batchTitle({ items: [first, ...more], batch }: Review): string {
  const title = first === undefined ? `Batch ${batch}` : `${verbs[first.operation.type] ?? first.operation.type.toLowerCase()} ${nameOf(first)}`;
  return more.length === 0 ? title : `${title} and ${more.length} more`;
}

/** Why, by whom and since when a batch waits. */
function batchFacts({ folder, review }: Row): { reasons: string[]; description: string; proposed: string } {
  const { kind, tool, model, commit } = review.origin ?? {};
  const from = [review.author, kind === "human" ? undefined : (tool ?? kind), model, commit].filter((name) => name);
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  const reasons = [...new Set(review.items.flatMap(({ operation }) => (operation.reason ? oneLine(operation.reason) : [])))];
  const description = [...(several ? [folder.name] : []), ...reasons.slice(0, 1), ...new Set(from), ago(review.time)].join(" · ");
  return { reasons, description, proposed: `Proposed ${new Date(review.time).toLocaleString()}${from.length === 0 ? "" : ` by ${from.join(", ")}`}` };
}

function batchItem(row: Row): vscode.TreeItem {
  const { folder, review } = row;
  const { reasons, description, proposed } = batchFacts(row);
  const item = new vscode.TreeItem(batchTitle(review), vscode.TreeItemCollapsibleState.Expanded);
  item.id = `${folder.uri.toString()}#${review.batch}`;
  item.description = description;
  item.tooltip = tip(batchTitle(review), ...reasons, proposed);
  item.iconPath = new vscode.ThemeIcon("git-pull-request");
  item.contextValue = "batch";
  return item;
}

function groupItem(row: Row, group: string): vscode.TreeItem {
  const items = itemsOf(row);
  const item = new vscode.TreeItem(group, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `${row.folder.uri.toString()}#${row.review.batch}#${group}/`;
  item.description = String(items.length);
  item.tooltip = tip(group, ...items.map(nameOf));
  item.iconPath = new vscode.ThemeIcon("folder");
  item.contextValue = "group";
  item.accessibilityInformation = { label: [group, ...saidOfReviews(countOf(items))].join(", ") };
  return item;
}

/** Lines of a tip: the first and the last, and as many between as one takes in at a glance; each cut to one line. */
/** What an agent says, as one line of a list that a person decides on. */
const oneLine = (text: string) => text.trim().replaceAll(/\s+/g, " ");

function tip(...lines: (string | undefined | false)[]): string {
  const all = lines.flatMap((line) => (line ? [line.trim().split(/[\r\n\u2028\u2029]/, 1)[0]!.slice(0, 160)] : []));
  const more = all.length - 5;
  return (more < 2 ? all : [...all.slice(0, 4), `… and ${more} more`, ...all.slice(-1)]).join("\n");
}

const verbs: Readonly<Record<string, string>> = {
  ADD: "Add", UPDATE: "Change", UPSERT: "Change", MERGE: "Merge", DELETE: "Remove", MOVE: "Move", CONFIRM: "Still true?", ARCHIVE: "Archive", RESTORE: "Restore",
};

function nameOf({ operation, path }: ReviewItem): string {
  return operation.title || wordsOf(path);
}

/** A file's name in words. */
function wordsOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "").replaceAll("_", " ");
}

/** How long ago something was, in its largest unit. */
export function ago(time: string, now = Date.now()): string {
  const minutes = Math.max(0, Math.round((now - Date.parse(time)) / 60_000));
  const [n, unit] = minutes < 60 ? [minutes, "minute"] : minutes < 48 * 60 ? [Math.round(minutes / 60), "hour"] : [Math.round(minutes / 1440), "day"];
  return n === 0 ? "just now" : `${n} ${unit}${n === 1 ? "" : "s"} ago`;
}

const actions: Readonly<Record<string, string>> = { apply: "Changed", approve: "Approved", reject: "Rejected", undo: "Took back" };

/** What stands beside entries and is made with them. */
const generated = /(^|\/)(_[^/]*|context\.md|\.[^/]*)$|^_archived\//;

/** The entries of a change; what was made with them only where there are none. */
function entriesOf({ files = [], about = [] }: Logged): string[] {
  const all = files.length > 0 ? files : about;
  const entries = all.filter((path) => !generated.test(path));
  return entries.length > 0 ? entries : all;
}

function pastTitle(change: Logged): string {
  const what = entriesOf(change).map(wordsOf);
  const more = what.length > 2 ? ` and ${what.length - 2} more` : "";
  const archived = change.action === "apply" && change.files?.some((path) => path.startsWith("_archived/"));
  const action = archived ? "Archived" : change.action === "apply" && change.files?.length === 0 ? "Proposed" : (actions[change.action] ?? change.action);
  return `${action} ${what.slice(0, 2).join(", ")}${more}`;
}

function pastItem({ folder, change }: Past): vscode.TreeItem {
  if (change === undefined) {
    const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
    const heading = new vscode.TreeItem(several ? `History of ${folder.name}` : "History", vscode.TreeItemCollapsibleState.Collapsed);
    heading.id = `${folder.uri.toString()}#history`;
    heading.iconPath = new vscode.ThemeIcon("history");
    return heading;
  }
  const item = new vscode.TreeItem(pastTitle(change));
  item.id = `${folder.uri.toString()}#history#${change.id}`;
  item.description = [change.author, ago(change.time)].filter((text) => text).join(" · ");
  item.tooltip = tip(...new Set(change.reasons), ...entriesOf(change), `Change ${change.id}, ${new Date(change.time).toLocaleString()}`);
  item.iconPath = new vscode.ThemeIcon(change.action === "undo" ? "discard" : change.action === "reject" ? "close" : "check");
  item.contextValue = change.undoable ? "past.undoable" : "past";
  return item;
}

/** The rows of reviews among those of the view. */
function reviewRows(rows: readonly (Row | Past)[]): Row[] {
  return rows.filter((row): row is Row => "review" in row);
}

function operationItem(row: Row, operated: ReviewItem, under = ""): vscode.TreeItem {
  const { operation, held, path, message, blocked } = operated;
  const { folder, review } = row;
  const only = review.items.length === 1;
  const { description, proposed } = batchFacts(row);
  const item = new vscode.TreeItem(only ? batchTitle(review) : nameOf(operated));
  const nth = review.items.filter((each) => each.path === path).findIndex((each) => each.operation === operation);
  // Not by its place in the batch: that is another's once one before it is decided, and so would the selection be.
  item.id = `${folder.uri.toString()}#${review.batch}#${path}#${nth}`;
  item.description = [held ? "" : "done already", blocked ? "cannot be approved" : "", only ? description : `${operation.type.toLowerCase()} · ${under === "" ? path : path.slice(under.length + 1)}`].filter((text) => text).join(" · ");
  item.tooltip = tip(path, operation.reason, message, blocked && `You cannot approve it now: ${blocked}`, proposed);
  item.iconPath = new vscode.ThemeIcon(blocked ? "warning" : (icons[operation.type] ?? "circle-outline"));
  item.contextValue = hasText(row) ? "operation.text" : "operation";
  item.command = { title: "Show", command: "brv.review.show", arguments: [row] };
  return item;
}

/** Whether an operation waits with a text that can be edited. */
function hasText({ item }: Row): boolean {
  return item !== undefined && item.held && writing.includes(item.operation.type);
}

function whatOf({ operation, held }: ReviewItem): string {
  return `proposed: ${operation.type.toLowerCase()}${held ? "" : ", done already"}`;
}

/** What a draft's tab says: it can be saved, and is still no entry. */
const draftTitle = "your draft, not approved";

/** What a decision is about; without places it is the whole batch. */
interface Target {
  folder: vscode.WorkspaceFolder;
  batch: number;
  places?: Place[];
}

function within({ folder, batch, places }: Target, other: Place): boolean {
  return sameFolder(other.folder, folder) && other.batch === batch && (places?.some(({ path }) => path === other.path) ?? true);
}

/** What is chosen: a row of the view, or the address of an editor's document; else what is shown in front. */
function target(chosen: Row | vscode.Uri | undefined): Target | undefined {
  if (chosen !== undefined && "review" in chosen) {
    const place = placeOfRow(chosen);
    const also = (chosen.also ?? []).flatMap((item) => placeOfRow({ ...chosen, item }) ?? []);
    return { folder: chosen.folder, batch: chosen.review.batch, ...(place && { places: [place, ...also] }) };
  }
  const uri = chosen ?? vscode.window.activeTextEditor?.document.uri;
  const place = uri && placeOf(uri);
  return place && { folder: place.folder, batch: place.batch, places: [place] };
}

function placeOfRow({ folder, review, item }: Row): Place | undefined {
  return item && { folder, batch: review.batch, path: item.path };
}

/**
 * Shows a text of a place: beside the one that it would replace, or by itself where there is none. What is only looked at
 * leaves the keys to the list, in which the next decision is made.
 */
async function shown(place: Place, { before }: Proposed, side: "after" | "draft", what: string): Promise<void> {
  const options = { preview: side === "after", preserveFocus: side === "after" };
  const uri = uriOf(place, side);
  const title = `${place.path.slice(place.path.lastIndexOf("/") + 1)} (${what})`;
  await (before === ""
    ? vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), options)
    : vscode.commands.executeCommand("vscode.diff", uriOf(place, "before"), uri, title, options));
}

/** The tabs with texts, and what they show; of a difference what is new. */
function tabs(): { tab: vscode.Tab; uri: vscode.Uri }[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs).flatMap((tab) => {
    const { input } = tab;
    const uri = input instanceof vscode.TabInputTextDiff ? input.modified : input instanceof vscode.TabInputText ? input.uri : undefined;
    return uri === undefined ? [] : [{ tab, uri }];
  });
}

/** Closes the editors of places. A draft is saved before, so that the editor asks nothing about it. */
async function closeEditors(of: (place: Place) => boolean): Promise<void> {
  const shown = tabs().filter(({ uri }) => {
    const place = placeOf(uri);
    return place !== undefined && of(place);
  });
  for (const document of vscode.workspace.textDocuments) {
    const place = document.uri.scheme === draftScheme ? placeOf(document.uri) : undefined;
    if (place !== undefined && of(place) && document.isDirty) {
      await document.save();
    }
  }
  await vscode.window.tabGroups.close(shown.map(({ tab }) => tab), true); // who decides in the list goes on there
}

/** Whether the user decides here; where the workspace is not trusted the view only shows. */
function trusted(): boolean {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showInformationMessage("brv: you cannot decide here, because this workspace is not trusted.");
  }
  return vscode.workspace.isTrusted;
}
