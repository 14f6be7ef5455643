import * as vscode from "vscode";
import { DidCloseTextDocumentNotification, type LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";
import { asOpen, draftSelector, fileOf } from "./selector";

/**
 * Makes a draft, to the server, the file that saving writes, opened in the editor: so it is completed, hovered over
 * and checked like any entry.
 */
export function drafts(client: () => LanguageClient): Required<Pick<LanguageClientOptions, "uriConverters" | "middleware">> {
  const open = new Set<string>(); // files that the server has open and that are drafts here
  const isDraft = ({ uri }: vscode.TextDocument) => uri.scheme === draftSelector.scheme;
  const saved = (document: vscode.TextDocument) => isDraft(document) && !open.has(fileOf(document.uri).toString());
  return {
    uriConverters: { code2Protocol: (uri) => fileOf(uri).toString(), protocol2Code: (text) => asOpen(vscode.Uri.parse(text)) },
    middleware: {
      async didOpen(document, next) {
        const uri = fileOf(document.uri).toString();
        if (isDraft(document)) {
          open.add(uri);
        } else if (open.delete(uri)) { // it is being saved: the editor opens the file before it closes the draft
          const closed = client().sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
          await Promise.all([closed, next(document)]); // in this order, with no change of the text between them
          return;
        }
        await next(document);
      },
      async didChange(change, next) {
        if (!saved(change.document)) { // the editor empties what it has saved elsewhere
          await next(change);
        }
      },
      async didClose(document, next) {
        if (!saved(document)) {
          open.delete(fileOf(document.uri).toString());
          await next(document);
        }
      },
    },
  };
}
