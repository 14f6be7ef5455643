import * as vscode from "vscode";
import { ask } from "./ask";
import { openDraft, openDraftCommand } from "./curate";
import { dream, undoDream } from "./dream";
import { initTree } from "./init";
import { Keys } from "./key";
import { AttachedPacks, packTask, signals } from "./pack";
import { registerParticipant } from "./participant";
import { proposeChanges, proposeFile } from "./propose";
import { checkTree, showStatus } from "./report";
import { Reviews } from "./reviews";
import { Server } from "./server";
import { registerServers } from "./servers";
import { RecentEdits } from "./signals";
import { menuCommand, Status } from "./status";
import { registerTools, type Sources } from "./tools";
import { Views } from "./views";

let server: Server | undefined;

export async function activate(extension: vscode.ExtensionContext): Promise<void> {
  const status = new Status(extension);
  const keys = new Keys(extension);
  const running = new Server(extension, status, keys);
  const reviews = new Reviews(extension, running, (operations) => status.waiting(operations));
  const views = new Views(extension);
  const edits = new RecentEdits();
  const sources: Sources = { server: running, signals: () => signals(edits), program: () => running.program() };
  const packs = new AttachedPacks(extension);
  server = running;
  extension.subscriptions.push(
    vscode.commands.registerCommand("brv.ask", (given) => ask(running, views, given)),
    vscode.commands.registerCommand("brv.packTask", (given) => packTask(running, views, edits, given)),
    vscode.commands.registerCommand("brv.attachPack", (given) => packs.attach(running, edits, given)),
    ...registerTools(sources),
    ...registerServers(sources.program, extension.extension.packageJSON.version),
    registerParticipant(sources),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document.uri.scheme === "file" && contentChanges.length > 0) {
        edits.note(document.uri.toString(), contentChanges, Date.now());
      }
    }),
    vscode.commands.registerCommand("brv.initTree", () => initTree(running)),
    vscode.commands.registerCommand("brv.checkTree", () => checkTree(running)),
    vscode.commands.registerCommand("brv.showStatus", () => showStatus(running, views)),
    vscode.commands.registerCommand(menuCommand, () => status.menu()),
    vscode.commands.registerCommand(openDraftCommand, openDraft),
    vscode.commands.registerCommand("brv.setKey", () => keys.set()),
    vscode.commands.registerCommand("brv.forgetKey", () => keys.forget()),
    vscode.commands.registerCommand("brv.proposeFile", (uri, all) => proposeFile(running, reviews, uri, all)),
    vscode.commands.registerCommand("brv.proposeFolder", (uri, all) => proposeFile(running, reviews, uri, all)),
    vscode.commands.registerCommand("brv.proposeChanges", (given) => proposeChanges(running, reviews, given)),
    vscode.commands.registerCommand("brv.dreamNow", (given) => dream(running, given)),
    vscode.commands.registerCommand("brv.undoLastDream", () => undoDream(running)),
    vscode.commands.registerCommand("brv.review.refresh", () => reviews.refresh()),
    vscode.commands.registerCommand("brv.review.show", (row) => reviews.show(row)),
    vscode.commands.registerCommand("brv.review.edit", (chosen) => reviews.edit(chosen)),
    vscode.commands.registerCommand("brv.review.approve", (chosen) => reviews.approve(chosen)),
    vscode.commands.registerCommand("brv.review.approveDraft", (uri) => reviews.approveDraft(uri)),
    vscode.commands.registerCommand("brv.review.reject", (chosen, given) => reviews.reject(chosen, given)),
    running.onDidRun(() => reviews.refresh()),
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
