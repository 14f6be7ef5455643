import * as vscode from "vscode";

const scheme = "brv-view";

/** Read-only markdown documents for answers and packs. They are gone when they are closed. */
export class Views implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private shown = 0;

  constructor(extension: vscode.ExtensionContext) {
    extension.subscriptions.push(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument((closed) => this.texts.delete(closed.uri.toString())),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /** Opens text in an editor whose tab is called name. */
  async show(name: string, text: string): Promise<void> {
    this.shown++;
    const uri = vscode.Uri.from({ scheme, path: `/${this.shown}/${name.replaceAll("/", "∕")}.md` });
    this.texts.set(uri.toString(), text);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
  }
}
