import * as vscode from "vscode";

const scheme = "brv-view";

/** Read-only markdown documents for answers and packs. They are gone when they are closed. */
export class Views implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private shown = 0;
  private rendered = ""; // shown by the preview, which may read it when no document is open any more

  constructor(extension: vscode.ExtensionContext) {
    extension.subscriptions.push(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => uri.toString() !== this.rendered && this.texts.delete(uri.toString())),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /** Opens text in an editor whose tab is called name. */
  async show(name: string, text: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.put(name, text));
    await vscode.window.showTextDocument(document);
  }

  /** Opens text as it reads, in the editor's own preview of Markdown; as plain text where that is switched off. */
  async showRendered(name: string, text: string): Promise<void> {
    const uri = this.put(name, text);
    this.rendered = uri.toString();
    await vscode.workspace.openTextDocument(uri); // the preview shows documents
    await vscode.commands.executeCommand("markdown.showPreview", uri).then(undefined, () => vscode.window.showTextDocument(uri));
  }

  private put(name: string, text: string): vscode.Uri {
    this.shown++;
    const uri = vscode.Uri.from({ scheme, path: `/${this.shown}/${name.replaceAll("/", "∕").slice(0, 80)}.md` });
    this.texts.set(uri.toString(), text);
    return uri;
  }
}
