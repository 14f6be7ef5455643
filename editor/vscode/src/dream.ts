import * as vscode from "vscode";
import { escaped, withProgress } from "./ask";
import { chosenFolder, inFolder } from "./folders";
import { plain } from "./plain";
import type { Requests } from "./server";
import type { Views } from "./views";

/** What a dream did, or why it did not run; further keys stand beside these. */
export interface Dream {
  id?: string;
  status?: string;
  operations?: { status?: string; reason: string; stays?: { change: number; why: string }[] }[];
  summary?: { consolidated: number; synthesized: number; pruned: number; flaggedForReview: number; stays?: number };
  notes?: string[];
  skipped?: { gate: string; reason: string };
}

const showReviews = "Show reviews";
const anyway = "Dream anyway";
const takeBack = "Undo it";

/** Maintains the tree once, and offers what of it waits for a review. */
export async function dream(server: Requests, views: Pick<Views, "showRendered">, given: { force?: boolean } = {}, meant?: vscode.WorkspaceFolder): Promise<Dream | undefined> {
  const folder = meant ?? (await chosenFolder("Dream"));
  const result = folder && (await run(server, folder, "Dreaming", "brv.dream", given));
  if (result?.skipped !== undefined) {
    const buttons = result.skipped.gate === "lock" ? [] : [anyway];
    const said = await vscode.window.showInformationMessage(`brv: Dream skipped: ${plain(result.skipped.reason)}.`, ...buttons);
    return said === anyway ? dream(server, views, { force: true }, folder) : result;
  }
  if (result !== undefined) {
    void told(views, result);
  }
  return result;
}

/** Takes the newest dream back of which something is there to be taken back, after asking. */
export async function undoDream(server: Requests): Promise<Dream | undefined> {
  const folder = await chosenFolder("Undo last dream");
  const question = `brv: ${inFolder(folder)}Undo the last dream? Its approved changes are undone too.`;
  if (folder === undefined || (await vscode.window.showWarningMessage(question, takeBack)) !== takeBack) {
    return undefined;
  }
  const result = await run(server, folder, "Undoing the last dream", "brv.dreamUndo", {});
  const stays = (result?.operations ?? []).flatMap((operation) => operation.stays ?? []);
  if (result !== undefined && stays.length > 0) {
    const which = stays.map(({ change, why }) => `change ${change} stays: ${plain(why)}`).join("; ");
    void vscode.window.showWarningMessage(`brv: The dream of ${began(result)} was undone, but ${which}. To undo that too, restore the text that the dream wrote, and run “brv: Undo last dream” again.`);
  } else if (result !== undefined) {
    void vscode.window.showInformationMessage(`brv: The dream of ${began(result)} was undone.`);
  }
  return result;
}

/** When a dream began: its id is drm- and the milliseconds. */
function began({ id = "" }: Dream): string {
  return new Date(Number(id.replace(/^drm-/, ""))).toLocaleString();
}

const showNotes = "Show notes";

/** Says what a dream did. Its notes are many where a model was no help: they are a page that can be opened. */
async function told(views: Pick<Views, "showRendered">, { status = "", summary, notes = [] }: Dream): Promise<void> {
  const { consolidated = 0, synthesized = 0, pruned = 0, flaggedForReview = 0 } = summary ?? {};
  const counts = Object.entries({ "merged or linked": consolidated, new: synthesized, "to archive": pruned })
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`);
  const done = counts.length > 0 ? counts.join(", ") : status === "completed" ? "nothing to merge, link or archive" : plain(notes[0] ?? "nothing was done");
  const waits = flaggedForReview === 1 ? " 1 operation waits for a review." : ` ${flaggedForReview} operations wait for a review.`;
  const said = `brv: Dream ${plain(status)}: ${done}.${flaggedForReview === 0 ? "" : waits}`;
  const buttons = [...(flaggedForReview === 0 ? [] : [showReviews]), ...(notes.length === 0 ? [] : [showNotes])];
  const choice = await vscode.window.showInformationMessage(said, ...buttons);
  if (choice === showReviews) {
    await vscode.commands.executeCommand("brv.reviewQueue.focus");
  } else if (choice === showNotes) {
    await views.showRendered("Dream", `# Dream ${escaped(status)}\n\n${notes.map((note) => `- ${escaped(note)}\n`).join("")}`, { key: "dream" });
  }
}

/** Runs a command of the server. One that is cancelled ends with its present step, and says what it did. */
async function run(server: Requests, folder: vscode.WorkspaceFolder, title: string, command: string, request: object): Promise<Dream | undefined> {
  const params = { command, arguments: [{ ...request, uri: folder.uri.toString() }] };
  return withProgress(title, (token, doing) => server.requestOfModel<Dream>("workspace/executeCommand", params, token, { doing }));
}
