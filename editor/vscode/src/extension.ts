import * as vscode from "vscode";
import type { Uri } from "vscode";
import { Questions } from "./ask";
import { showChanges } from "./changes";
import { openDraft, openDraftCommand, promote, promoteCommand, writeDown, writeDownCommand } from "./curate";
import { dream, undoDream } from "./dream";
import { showGraph } from "./graph";
import { HereView } from "./here";
import { confirmEntry, showChanges as showChangesCommand } from "./hovering";
import { importNotes } from "./import";
import { Keys } from "./key";
import { initTree, KnowledgeView } from "./knowledge";
import { toggleLenses } from "./lenses";
import { type Row as PackRow, PackView, signals } from "./pack";
import { registerParticipant } from "./participant";
import { proposeChanges, proposeFile } from "./propose";
import { check, showStatus } from "./report";
import { Reviews, type Row } from "./reviews";
import { asOpen, openCommand } from "./selector";
import { Server } from "./server";
import { registerServers } from "./servers";
import { openSettings } from "./settings";
import { RecentEdits } from "./signals";
import { menuCommand, Status } from "./status";
import { registerTools, type Sources } from "./tools";
import { Views } from "./views";

let server: Server | undefined;

export async function activate(extension: vscode.ExtensionContext): Promise<void> {
  const status = new Status(extension);
  const keys = new Keys(extension);
  const running = new Server(extension, status, keys);
  const reviews = new Reviews(extension, running, (counts) => status.waiting(counts));
  const views = new Views(extension);
  const knowledge = new KnowledgeView(extension, running);
  const here = new HereView(extension, running);
  const questions = new Questions(running, views, extension);
  const edits = new RecentEdits();
  const changed = async () => {
    knowledge.refresh();
    here.refresh();
    await reviews.refresh();
  };
  const decided = (chosen: Row | Uri | { selected: true } | undefined, all: Row[] | undefined, decide: (row?: Row | Uri) => Promise<unknown>) => {
    if (chosen !== undefined && "selected" in chosen) {
      return reviews.decideSelected(decide);
    }
    return all !== undefined && all.length > 1 ? reviews.each(all, decide) : decide(chosen);
  };
  const sources: Sources = { server: running, signals: (about) => signals(edits, about), program: () => running.program() };
  const packs = new PackView(extension, running, views, edits);
  const rows = (row?: PackRow, all?: PackRow[]) => all ?? (row && [row]); // none: what is selected in the view
  server = running;
  extension.subscriptions.push(
    vscode.commands.registerCommand("brv.ask", (given) => questions.ask(given)),
    vscode.commands.registerCommand("brv.followUp", () => questions.followUp()),
    vscode.commands.registerCommand("brv.askedBefore", () => questions.again()),
    vscode.commands.registerCommand(writeDownCommand, (about) => writeDown(running, changed, about)),
    vscode.commands.registerCommand(promoteCommand, (request) => promote(running, changed, request)),
    vscode.commands.registerCommand(showChangesCommand, (uri) => showChanges(vscode.Uri.parse(uri, true))),
    vscode.commands.registerCommand(confirmEntry, (uri, path) => knowledge.confirm(uri, path)),
    vscode.commands.registerCommand("brv.knowledge.refresh", () => knowledge.refresh()),
    vscode.commands.registerCommand("brv.knowledge.sort", () => knowledge.chooseOrder()),
    vscode.commands.registerCommand("brv.knowledge.filter", () => knowledge.chooseFilter()),
    vscode.commands.registerCommand("brv.knowledge.showAll", () => knowledge.chooseFilter("")),
    vscode.commands.registerCommand("brv.knowledge.openBeside", (row) => knowledge.openBeside(row)),
    vscode.commands.registerCommand("brv.knowledge.move", (row) => knowledge.move(row)),
    vscode.commands.registerCommand("brv.knowledge.changes", (row) => knowledge.whatChanged(row)),
    vscode.commands.registerCommand("brv.knowledge.confirm", (row) => knowledge.stillTrue(row)),
    vscode.commands.registerCommand("brv.knowledge.archive", (row) => knowledge.archive(row)),
    vscode.commands.registerCommand("brv.toggleCodeLens", toggleLenses),
    vscode.commands.registerCommand("brv.showGraph", () => showGraph(extension, running)),
    vscode.commands.registerCommand("brv.undoChange", (past) => reviews.undo(past)),
    status.onDidChange(changed),
    reviews.onDidDecide(() => knowledge.refresh()),
    vscode.commands.registerCommand("brv.packTask", (given) => packs.start(given?.task === undefined ? undefined : given)),
    vscode.commands.registerCommand("brv.attachPack", (given) => packs.send(given?.task === undefined ? undefined : given)),
    vscode.commands.registerCommand("brv.pack.grow", () => packs.grow()),
    vscode.commands.registerCommand("brv.pack.budget", () => packs.budget()),
    vscode.commands.registerCommand("brv.pack.pin", (row, all) => packs.pin(rows(row, all))),
    vscode.commands.registerCommand("brv.pack.unpin", (row, all) => packs.pin(rows(row, all))),
    vscode.commands.registerCommand("brv.pack.drop", (row, all) => packs.drop(rows(row, all))),
    vscode.commands.registerCommand("brv.pack.restore", (row, all) => packs.drop(rows(row, all))),
    vscode.commands.registerCommand("brv.pack.add", (uri) => packs.add(uri instanceof vscode.Uri ? uri : undefined)), // the title of a view hands over its selected row,
    vscode.commands.registerCommand("brv.pack.copy", () => packs.copy()),
    vscode.commands.registerCommand("brv.pack.save", () => packs.save()),
    vscode.commands.registerCommand("brv.pack.show", () => packs.show()),
    ...registerTools(sources),
    ...registerServers(sources.program, extension.extension.packageJSON.version),
    registerParticipant(sources),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document.uri.scheme === "file" && contentChanges.length > 0) {
        edits.note(document.uri.toString(), contentChanges, Date.now());
      }
    }),
    vscode.commands.registerCommand("brv.initTree", (folder) => initTree(running, changed, folder)),
    vscode.commands.registerCommand("brv.checkTree", () => check(running, views)),
    vscode.commands.registerCommand("brv.showStatus", () => showStatus(running, views)),
    vscode.commands.registerCommand(menuCommand, () => status.menu()),
    vscode.commands.registerCommand(openDraftCommand, openDraft),
    vscode.commands.registerCommand(openCommand, (uri, options) => vscode.commands.executeCommand("vscode.open", asOpen(uri), options)),
    vscode.commands.registerCommand("brv.setUpModel", () => openSettings("brv.model")),
    vscode.commands.registerCommand("brv.setKey", () => keys.set()),
    vscode.commands.registerCommand("brv.forgetKey", () => keys.forget()),
    vscode.commands.registerCommand("brv.proposeFile", (uri, all) => proposeFile(running, reviews, uri, all)),
    vscode.commands.registerCommand("brv.proposeFolder", (uri, all) => proposeFile(running, reviews, uri, all)),
    vscode.commands.registerCommand("brv.proposeChanges", (given) => proposeChanges(running, reviews, given)),
    vscode.commands.registerCommand("brv.importNotes", () => importNotes(running, reviews)),
    vscode.commands.registerCommand("brv.dreamNow", (given) => dream(running, views, given)),
    vscode.commands.registerCommand("brv.undoLastDream", () => undoDream(running)),
    vscode.commands.registerCommand("brv.review.refresh", () => reviews.refresh()),
    vscode.commands.registerCommand("brv.review.show", (row) => reviews.show(row)),
    vscode.commands.registerCommand("brv.review.edit", (chosen) => reviews.edit(chosen)),
    vscode.commands.registerCommand("brv.review.approve", (chosen, all) => decided(chosen, all, (row) => reviews.approve(row))),
    vscode.commands.registerCommand("brv.review.approveDraft", (uri) => reviews.approveDraft(uri)),
    vscode.commands.registerCommand("brv.review.reject", (chosen, given) => {
      const all: Row[] | undefined = Array.isArray(given) ? given : undefined;
      return decided(chosen, all, (row) => reviews.reject(row, all === undefined ? given : undefined));
    }),
    running.onDidRun(changed),
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
