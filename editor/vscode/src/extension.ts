import * as vscode from "vscode";
import { ask } from "./ask";
import { openDraft, openDraftCommand } from "./curate";
import { initTree } from "./init";
import { packTask } from "./pack";
import { checkTree, showStatus } from "./report";
import { Server } from "./server";
import { RecentEdits } from "./signals";
import { menu, menuCommand } from "./status";
import { Views } from "./views";

let server: Server | undefined;

export async function activate(extension: vscode.ExtensionContext): Promise<void> {
  const running = new Server(extension);
  const views = new Views(extension);
  const edits = new RecentEdits();
  server = running;
  extension.subscriptions.push(
    vscode.commands.registerCommand("brv.ask", (given) => ask(running, views, given)),
    vscode.commands.registerCommand("brv.packTask", (given) => packTask(running, views, edits, given)),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document.uri.scheme === "file" && contentChanges.length > 0) {
        edits.note(document.uri.toString(), contentChanges, Date.now());
      }
    }),
    vscode.commands.registerCommand("brv.initTree", () => initTree(running)),
    vscode.commands.registerCommand("brv.checkTree", () => checkTree(running)),
    vscode.commands.registerCommand("brv.showStatus", () => showStatus(running, views)),
    vscode.commands.registerCommand(menuCommand, menu),
    vscode.commands.registerCommand(openDraftCommand, openDraft),
    vscode.commands.registerCommand("brv.restart", () => running.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("brv.server.path")) {
        void running.restart();
      }
    }),
  );
  await running.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
