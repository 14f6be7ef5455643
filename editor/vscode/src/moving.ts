import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";

/**
 * What follows a move, but for the links that the editor's own Markdown brings along
 * (`markdown.updateLinksOnFileMove`, off unless the user sets it): it plans on the text from
 * before, and a link that both edit is torn.
 */
export const moving: Pick<Middleware, "workspace"> = {
  workspace: {
    async willRenameFiles(event, next) {
      const all = await next(event);
      if (!all || !(await Promise.all(event.files.map(editorFollows))).includes(true)) {
        return all;
      }
      const rest = new vscode.WorkspaceEdit(); // what follows a move is edits of text
      for (const [uri, edits] of all.entries()) {
        const document = await vscode.workspace.openTextDocument(uri);
        const markdown = document.languageId === "markdown";
        rest.set(uri, edits.filter(({ range }) => !markdown || !inLink(document, range.start)));
      }
      return rest;
    },
  },
};

/** Whether the editor's own Markdown follows a move: of files by patterns, which leave hidden folders out, and of folders. */
async function editorFollows({ oldUri, newUri }: { oldUri: vscode.Uri; newUri: vscode.Uri }): Promise<boolean> {
  const own = vscode.workspace.getConfiguration("markdown.updateLinksOnFileMove", newUri);
  if (own.get("enabled", "never") === "never") {
    return false;
  }
  const file = { uri: newUri, fileName: newUri.fsPath, languageId: "" } as vscode.TextDocument;
  const patterns = own.get<string[]>("include", []).map((pattern) => ({ pattern }));
  if (!newUri.path.includes("/.") && vscode.languages.match(patterns, file) > 0) {
    return true;
  }
  return own.get("enableForDirectories", true) && (await vscode.workspace.fs.stat(oldUri)).type === vscode.FileType.Directory;
}

/** Whether a place is in the target of a Markdown link or of a link definition. */
function inLink(document: vscode.TextDocument, at: vscode.Position): boolean {
  return /\]\(<?[^()<>\s]*$|^\s*\[[^\]]+\]:\s*<?\S*$/.test(document.lineAt(at).text.slice(0, at.character));
}
