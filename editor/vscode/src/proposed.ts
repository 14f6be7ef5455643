import * as vscode from "vscode";

/** A held text, beside the present one. They are only looked at. */
export const reviewScheme = "brv-review";
/** The proposed text as the reviewer changes it. */
export const draftScheme = "brv-draft";

/** What an operation that waits is about: its batch in a folder, and the path by which it is decided. */
export interface Place {
  folder: vscode.WorkspaceFolder;
  batch: number;
  path: string;
}

/** The server's word on a place; before is empty where there is nothing yet, after where it goes. */
export interface Proposed {
  before: string;
  after: string;
  editable: boolean;
}

/** Whether two folders are the same; the editor may make a new object for one. */
export function sameFolder(a: vscode.WorkspaceFolder, b: vscode.WorkspaceFolder): boolean {
  return a.uri.toString() === b.uri.toString();
}

type Side = "before" | "after";

/**
 * How the names of our documents end, which decides on their language: it looks like Markdown and is none. Of a
 * Markdown document the editor makes links, also to commands, and other extensions do what they do.
 */
const ending = ".brv-review";

/** The address of one side of a place, or of its draft. */
export function uriOf({ folder, batch, path }: Place, side: Side | "draft"): vscode.Uri {
  const scheme = side === "draft" ? draftScheme : reviewScheme;
  return vscode.Uri.from({ scheme, path: `/${batch}/${side}/${path}${ending}`, query: folder.uri.toString() });
}

/** The place that an address of ours is about. */
export function placeOf(uri: vscode.Uri): Place | undefined {
  const [, batch, path] = /^\/(\d+)\/(?:before|after|draft)\/(.+)\.brv-review$/.exec(uri.path) ?? [];
  const folder = vscode.workspace.workspaceFolders?.find((each) => each.uri.toString() === uri.query);
  const ours = uri.scheme === reviewScheme || uri.scheme === draftScheme;
  return ours && folder && batch && path ? { folder, batch: Number(batch), path } : undefined;
}

/** The documents of reviews. What was fetched once is shown until it is fetched again, also after the decision. */
export class Texts implements vscode.TextDocumentContentProvider {
  private readonly fetch: (place: Place) => Promise<Proposed>;
  private readonly known = new Map<string, Promise<Proposed>>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;

  constructor(fetch: (place: Place) => Promise<Proposed>) {
    this.fetch = fetch;
  }

  get(place: Place): Promise<Proposed> {
    const key = uriOf(place, "after").toString();
    const found = this.known.get(key) ?? this.fetch(place);
    this.known.set(key, found);
    found.catch(() => this.known.delete(key));
    return found;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const place = placeOf(uri);
    if (place === undefined) {
      throw new Error("the folder of this review is no longer open");
    }
    const { before, after } = await this.get(place);
    return uri.path.startsWith(`/${place.batch}/before/`) ? before : before === "" ? textFirst(after) : after;
  }

  /** Fetches what is open and still waits again: the entry may have changed since. What is not open is forgotten. */
  refresh(waits: (place: Place) => boolean): void {
    const open = vscode.workspace.textDocuments.map(({ uri }) => ({ uri, place: placeOf(uri) })).filter(({ uri }) => uri.scheme === reviewScheme);
    const kept = new Set(open.flatMap(({ place }) => (place === undefined || waits(place) ? [] : [uriOf(place, "after").toString()])));
    for (const key of [...this.known.keys()].filter((key) => !kept.has(key))) {
      this.known.delete(key);
    }
    for (const { uri, place } of open) {
      if (place !== undefined && waits(place)) {
        this.changes.fire(uri);
      }
    }
  }
}

/** A new entry as it is read: what it says, and then its frontmatter. */
function textFirst(entry: string): string {
  const [, frontmatter = "", text = entry] = /^(---\n.*?\n---\n)(.*)$/s.exec(entry) ?? [];
  return frontmatter === "" ? entry : `${text.trim()}\n\n${frontmatter}`;
}

/**
 * Drafts: the proposed texts as files that can be edited. They live in this window's memory. Saving one keeps it for
 * when it is opened again; only approving brings it to the tree.
 */
export class Drafts implements vscode.FileSystemProvider {
  private readonly files = new Map<string, { proposed: string; data: Uint8Array; time: number }>();
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changes.event;

  /** Begins a draft; one that is there already is kept, since it may have been worked on. */
  begin(uri: vscode.Uri, text: string): void {
    if (!this.files.has(uri.toString())) {
      this.files.set(uri.toString(), { proposed: text, data: Buffer.from(text), time: 1 });
    }
  }

  /** The places whose drafts say something else than what was proposed, saved or not. */
  changed(): Place[] {
    const open = new Map(vscode.workspace.textDocuments.map((document) => [document.uri.toString(), document.getText()]));
    return [...this.files].flatMap(([key, { proposed, data }]) => {
      const place = placeOf(vscode.Uri.parse(key, true));
      return place !== undefined && (open.get(key) ?? Buffer.from(data).toString()) !== proposed ? [place] : [];
    });
  }

  /** Forgets drafts. */
  end(over: (uri: vscode.Uri) => boolean): void {
    for (const key of [...this.files.keys()].filter((key) => over(vscode.Uri.parse(key, true)))) {
      this.files.delete(key);
    }
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { data, time } = this.file(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: time, size: data.byteLength };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.file(uri).data;
  }

  writeFile(uri: vscode.Uri, data: Uint8Array): void {
    const { proposed, time } = this.file(uri);
    this.files.set(uri.toString(), { proposed, data, time: time + 1 });
    this.changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  private file(uri: vscode.Uri): { proposed: string; data: Uint8Array; time: number } {
    const found = this.files.get(uri.toString());
    if (found === undefined) {
      throw vscode.FileSystemError.FileNotFound("this draft no longer exists; open it again from the review");
    }
    return found;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}
