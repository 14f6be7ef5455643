import * as vscode from "vscode";

const scheme = "brv-view";

/** Read-only markdown documents for answers and packs. They are gone when they are closed. */
export class Views implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private shown = 0;
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;
  private rendered = ""; // shown by the preview, which may read it when no document is open any more

  constructor(extension: vscode.ExtensionContext) {
    extension.subscriptions.push(
      this.changes,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => uri.toString() !== this.rendered && this.texts.delete(uri.toString())),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /**
   * Opens text in an editor whose tab is called name. With a key there is one document of that key and name, which
   * follows; silently it is only brought up to date where it is open.
   */
  async show(name: string, text: string, key?: string, silently = false): Promise<void> {
    const uri = this.put(name, text, key);
    if (!silently) {
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    }
  }

  /**
   * Opens text as it reads, in the editor's own preview of Markdown; as plain text where that is switched off. With a
   * key as in show.
   */
  async showRendered(name: string, text: string, key?: string): Promise<void> {
    const uri = this.put(name, text, key);
    this.rendered = uri.toString();
    await vscode.workspace.openTextDocument(uri); // the preview shows documents
    await vscode.commands.executeCommand("markdown.showPreview", uri).then(undefined, () => vscode.window.showTextDocument(uri));
  }

  /** Whether a document of a key is open, be it from the window before. */
  isOpen(key: string): boolean {
    return vscode.workspace.textDocuments.some(({ uri }) => uri.scheme === scheme && uri.path.startsWith(`/${key}/`));
  }

  /** Brings a rendered text up to date. The editor closes its document after minutes, and the preview follows open ones only. */
  async updateRendered(name: string, text: string, key: string): Promise<void> {
    await vscode.workspace.openTextDocument(uriOf(name, key));
    this.put(name, text, key);
  }

  /** Whether a document of that name is in front, of one of the groups of editors. */
  inFront(name: string): boolean {
    return vscode.window.tabGroups.all.some(({ activeTab }) => activeTab?.label.includes(fileName(name)) === true);
  }

  private put(name: string, text: string, key = String(++this.shown)): vscode.Uri {
    const uri = uriOf(name, key);
    this.texts.set(uri.toString(), text);
    this.changes.fire(uri);
    return uri;
  }
}

function uriOf(name: string, key: string): vscode.Uri {
  return vscode.Uri.from({ scheme, path: `/${key}/${fileName(name)}` });
}

function fileName(name: string): string {
  return `${name.replaceAll("/", "∕").slice(0, 80)}.md`;
}
