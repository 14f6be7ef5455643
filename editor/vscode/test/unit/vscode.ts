// A stand-in for the editor: the few classes that the sources use, and a user whose answers are given beforehand.

export class Uri {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;

  private constructor(scheme: string, path: string, query: string) {
    [this.scheme, this.path, this.query] = [scheme, path, query];
  }

  static from({ scheme, path, query = "" }: { scheme: string; path: string; query?: string }): Uri {
    return new Uri(scheme, path, query);
  }

  static file(path: string): Uri {
    return new Uri("file", path, "");
  }

  static parse(text: string): Uri {
    const [, scheme = "", path = "", query = ""] = /^([\w-]+):(?:\/\/)?([^?]*)(?:\?(.*))?$/.exec(text) ?? [];
    return new Uri(scheme, decodeURI(path), decodeURIComponent(query));
  }

  static joinPath(base: Uri, ...parts: string[]): Uri {
    return new Uri(base.scheme, [base.path, ...parts].join("/"), base.query);
  }

  toString(): string {
    return `${this.scheme}:${this.scheme === "file" ? "//" : ""}${encodeURI(this.path)}${this.query && `?${encodeURIComponent(this.query)}`}`;
  }
}

type Listener<T> = (value: T) => unknown;

export class Disposable {
  dispose: () => void;
  constructor(dispose: () => void) {
    this.dispose = dispose;
  }
}

export class EventEmitter<T> {
  private readonly listeners = new Set<Listener<T>>();
  readonly event = (listener: Listener<T>) => {
    this.listeners.add(listener);
    return new Disposable(() => this.listeners.delete(listener));
  };
  fire(value: T): void {
    for (const listener of this.listeners) listener(value);
  }
  dispose(): void {}
}

export class CancellationTokenSource {
  private readonly cancelled = new EventEmitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.cancelled.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.cancelled.fire();
  }
  dispose(): void {}
}

export class CancellationError extends Error {}

export class WorkspaceEdit {}

export class LanguageModelTextPart {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}

export class LanguageModelToolCallPart {
  readonly callId: string;
  readonly name: string;
  readonly input: object;
  constructor(callId: string, name: string, input: object) {
    [this.callId, this.name, this.input] = [callId, name, input];
  }
}

export class LanguageModelToolResultPart {
  readonly callId: string;
  readonly content: unknown[];
  constructor(callId: string, content: unknown[]) {
    [this.callId, this.content] = [callId, content];
  }
}

const parts = (content: unknown) => (typeof content === "string" ? [new LanguageModelTextPart(content)] : content);

export const LanguageModelChatMessage = {
  User: (content: unknown) => ({ role: "user", content: parts(content) }),
  Assistant: (content: unknown) => ({ role: "assistant", content: parts(content) }),
};

export class LanguageModelError extends Error {
  readonly code: string;
  private constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
  static NoPermissions(message = ""): LanguageModelError {
    return new LanguageModelError(message, "NoPermissions");
  }
  static Blocked(message = ""): LanguageModelError {
    return new LanguageModelError(message, "Blocked");
  }
  static NotFound(message = ""): LanguageModelError {
    return new LanguageModelError(message, "NotFound");
  }
}

export class TreeItem {
  readonly label: string;
  readonly collapsibleState: number;
  constructor(label: string, collapsibleState = 0) {
    [this.label, this.collapsibleState] = [label, collapsibleState];
  }
}

export class ThemeIcon {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

export class ThemeColor {}

export class MarkdownString {
  value: string;
  isTrusted: unknown = false;
  constructor(value: string) {
    this.value = value;
  }
  appendMarkdown(text: string): void {
    this.value += text;
  }
}

export class Position {}

export class Range {}

export class TabInputText {}

export class TabInputTextDiff {
  readonly original: Uri;
  readonly modified: Uri;
  constructor(original: Uri, modified: Uri) {
    [this.original, this.modified] = [original, modified];
  }
}

export class FileSystemError extends Error {
  static FileNotFound = (what: unknown) => new FileSystemError(String(what));
  static NoPermissions = (what: unknown) => new FileSystemError(String(what));
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const ProgressLocation = { Notification: 15 };
export const FileType = { File: 1, Directory: 2 };
export const FileChangeType = { Changed: 1 };

/** The user and the workspace of a test; reset makes them anew. */
export const user = {
  settings: {} as Record<string, unknown>,
  /** What is answered to the next input boxes, lists and buttons, in order; undefined is Escape. */
  answers: [] as unknown[],
  /** What was shown: messages, titles of inputs, commands. */
  seen: [] as string[],
  models: [] as unknown[],
  /** Paths that are folders, and that do not exist. */
  folders: [] as string[],
  missing: [] as string[],
  /** Whether the last editor that was opened left the focus where it was. */
  kept: false,
  /** Cancels what runs under progress. */
  cancel: undefined as (() => void) | undefined,
};

export function reset(): void {
  Object.assign(user, { settings: {}, answers: [], seen: [], models: [], folders: [], missing: [], kept: false, cancel: undefined });
  workspace.isTrusted = true;
  workspace.workspaceFolders = [{ uri: Uri.file("/shop"), name: "shop", index: 0 }];
  workspace.textDocuments = [];
  window.tabGroups.all = [];
  window.activeTextEditor = undefined;
  env.remoteName = undefined;
}

export const env = { remoteName: undefined as string | undefined };

const shown = (kind: string) => async (text: string, ...buttons: string[]) => {
  user.seen.push(`${kind}: ${text}`);
  return buttons.length === 0 ? undefined : user.answers.shift();
};

interface Open {
  uri: Uri;
  isDirty: boolean;
  getText(): string;
  save(): Promise<boolean>;
}

export const window = {
  activeTextEditor: undefined as { document: { uri: Uri } } | undefined,
  tabGroups: {
    all: [] as { tabs: { input: unknown }[]; activeTab?: { label: string } }[],
    close: async (tabs: unknown[]) => void user.seen.push(`closed ${tabs.length}`),
  },
  showInformationMessage: shown("info"),
  showWarningMessage: shown("warning"),
  showErrorMessage: shown("error"),
  showInputBox: async (options: { title: string; password?: boolean; validateInput?: (text: string) => string | undefined }) => {
    user.seen.push(`${options.password === true ? "password" : "input"}: ${options.title}`);
    const answer = user.answers.shift() as string | undefined;
    const problem = answer === undefined ? undefined : options.validateInput?.(answer);
    if (problem !== undefined) throw new Error(`refused: ${problem}`);
    return answer;
  },
  showQuickPick: async (items: ({ label: string } | string)[], options: { title: string }) => {
    user.seen.push(`list: ${options.title}`);
    const answer = user.answers.shift();
    return items.find((item) => (typeof item === "string" ? item : item.label) === answer);
  },
  withProgress: (options: { title: string }, work: (progress: unknown, token: unknown) => unknown) => {
    const source = new CancellationTokenSource();
    user.cancel = () => source.cancel();
    user.seen.push(`progress: ${options.title}`);
    return work({}, source.token);
  },
  showWorkspaceFolderPick: async ({ placeHolder }: { placeHolder: string }) => (user.seen.push(`folder: ${placeHolder}`), user.answers.shift()),
  createTreeView: () => {
    const reveal = async (row: { item?: { path: string } }) => void user.seen.push(`reveal ${row.item?.path}`);
    const view = { description: "", message: "", selection: [], reveal, onDidChangeVisibility: () => ({}), onDidChangeSelection: (listener: unknown) => (Object.assign(view, { selects: listener }), {}) };
    views.push(view);
    return view;
  },
  onDidChangeWindowState: () => ({}),
  createStatusBarItem: () => statusItem,
};

/** The views that were made. */
export const views: { description: string; message: string }[] = [];

export const statusItem = { name: "", command: "", text: "", tooltip: "", show() {}, hide() {} };
export const StatusBarAlignment = { Right: 2 };

export const workspace = {
  isTrusted: true,
  workspaceFolders: [] as { uri: Uri; name: string; index: number }[],
  textDocuments: [] as Open[],
  getConfiguration: (section: string) => ({ get: (name: string, otherwise?: unknown) => user.settings[`${section}.${name}`] ?? otherwise }),
  getWorkspaceFolder: (uri: Uri) => workspace.workspaceFolders.find((folder) => uri.path === folder.uri.path || uri.path.startsWith(`${folder.uri.path}/`)),
  fs: {
    readFile: async () => new TextEncoder().encode("0123"),
    stat: async (uri: Uri) => {
      if (user.missing.includes(uri.path)) throw FileSystemError.FileNotFound(uri.path);
      return { type: user.folders.includes(uri.path) ? FileType.Directory : FileType.File };
    },
  },
  createFileSystemWatcher: () => ({ onDidCreate: () => ({}), onDidChange: () => ({}), onDidDelete: () => ({}) }),
  onDidChangeWorkspaceFolders: () => ({}),
  onDidGrantWorkspaceTrust: () => ({}),
  registerTextDocumentContentProvider: () => ({}),
  registerFileSystemProvider: () => ({}),
};

/** The commands that are there, by their names. */
export const registered = new Map<string, (...args: unknown[]) => unknown>();

export const commands = {
  registerCommand: (name: string, act: (...args: unknown[]) => unknown) => (registered.set(name, act), new Disposable(() => registered.delete(name))),
  executeCommand: async (name: string, ...args: unknown[]) => {
    user.kept = (args.at(-1) as { preserveFocus?: boolean } | undefined)?.preserveFocus ?? user.kept;
    user.seen.push([name, ...args.map(String)].join(" "));
    await registered.get(name)?.(...args);
  },
};

export const lm = { selectChatModels: async () => user.models };
