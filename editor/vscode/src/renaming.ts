import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";
import { message, plain } from "./plain";

/** What the server answers where something can be renamed. */
interface Name {
  range: { start: vscode.Position; end: vscode.Position };
  placeholder: string;
}

/**
 * Says why something cannot be renamed, and ends the matter there. VS Code asks the next
 * provider after an error: its own of Markdown takes a list of the frontmatter for one
 * link, and writes the new name in the list's place.
 */
export function renaming(
  client: () => LanguageClient | undefined,
): Pick<Middleware, "prepareRename" | "provideRenameEdits"> {
  return {
    async prepareRename(document, position, token, next) {
      const running = client();
      if (running === undefined) {
        return next(document, position, token);
      }
      const params = running.code2ProtocolConverter.asTextDocumentPositionParams(document, position);
      let name: Name | null;
      try {
        name = await running.sendRequest<Name | null>("textDocument/prepareRename", params, token);
      } catch (error) {
        refuse(error, token);
        return Promise.reject(undefined); // after an Error the next provider would be asked
      }
      if (name === null) {
        throw new Error("The element can't be renamed."); // by us; another provider may know it
      }
      return { range: running.protocol2CodeConverter.asRange(name.range), placeholder: name.placeholder };
    },
    async provideRenameEdits(document, position, newName, token, next) {
      try {
        const edit = await next(document, position, newName, token);
        // Nothing to do, or no server any more: neither makes an entry's text a matter of plain Markdown.
        return edit ?? (document.languageId === "markdown" ? new vscode.WorkspaceEdit() : undefined);
      } catch (error) {
        refuse(error, token);
        return new vscode.WorkspaceEdit();
      }
    },
  };
}

function refuse(error: unknown, token: vscode.CancellationToken): void {
  if (!token.isCancellationRequested) {
    void vscode.window.showErrorMessage(`brv: ${plain(message(error))}`);
  }
}
