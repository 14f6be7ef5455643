import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";
import { steady } from "./lenses";

/** The server's command for the places that mention a file, or the thing at a position in it. */
const command = "brv.showReferences";

interface Place {
  uri: string;
  position?: { line: number; character: number };
}

/**
 * Shows the places that mention something where the editor shows references. The
 * command names a file only; the lens that is clicked says where the list opens.
 */
export function references(client: () => LanguageClient | undefined): Pick<Middleware, "executeCommand" | "provideCodeLenses"> {
  return {
    async provideCodeLenses(document, token, next) {
      const lenses = (await next(document, token)) ?? [];
      for (const lens of lenses) {
        if (lens.command?.command === command) {
          lens.command.arguments = [...(lens.command.arguments ?? []), lens.range.start];
        }
        if ((lens.command?.arguments ?? []).length > 0) {
          lens.command = steady(lens.command!);
        }
      }
      return lenses;
    },
    async executeCommand(name, args, next) {
      const running = client();
      if (name !== command || running === undefined) {
        return next(name, args);
      }
      const [place, at] = args as [Place, vscode.Position | undefined];
      const found = await next(name, [{ ...place, show: false }]);
      const locations = (await running.protocol2CodeConverter.asReferences(found?.locations)) ?? [];
      const uri = running.protocol2CodeConverter.asUri(place.uri);
      if (locations.length === 0) {
        void vscode.window.showInformationMessage(`brv: nothing mentions ${vscode.workspace.asRelativePath(uri)}.`);
      } else {
        const position = place.position ?? at;
        const from = position === undefined ? new vscode.Position(0, 0) : new vscode.Position(position.line, position.character);
        await vscode.commands.executeCommand("editor.action.showReferences", uri, from, locations);
      }
      return found;
    },
  };
}
