import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";

/**
 * Sends the selection along when the mouse rests on it, so that the hover is about
 * the selected words. The protocol knows only a position; the server takes a range
 * beside it.
 */
export function hovering(client: () => LanguageClient | undefined): Pick<Middleware, "provideHover"> {
  return {
    async provideHover(document, position, token, next) {
      const selection = selectionAt(document, position);
      const running = client();
      if (selection === undefined || running === undefined) {
        return next(document, position, token);
      }
      const convert = running.code2ProtocolConverter;
      const params = { ...convert.asTextDocumentPositionParams(document, position), range: convert.asRange(selection) };
      return running.protocol2CodeConverter.asHover(await running.sendRequest("textDocument/hover", params, token));
    },
  };
}

function selectionAt(document: vscode.TextDocument, position: vscode.Position): vscode.Selection | undefined {
  const editor = vscode.window.visibleTextEditors.find((e) => e.document === document);
  return editor?.selections.find((s) => !s.isEmpty && s.contains(position));
}
