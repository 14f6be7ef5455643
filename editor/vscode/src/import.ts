import * as vscode from "vscode";
import { withProgress } from "./ask";
import type { Report } from "./done";
import { chosenFolder } from "./folders";
import type { Reviews } from "./reviews";
import type { Requests } from "./server";

/** What an import does, or would do; further keys stand beside these. */
interface Import {
  folders: { from: string; to: string; notes: number }[];
  changed: number;
  broken: object[];
  left: { path: string; why: string }[];
  report: Report;
}

/** So many lines of a kind are shown before anything is imported. */
const mostListed = 8;

const toReviews = "Put them into Reviews";

/** Shows what a folder of notes would bring into the tree, and has that wait for a review. */
export async function importNotes(server: Requests, reviews: Reviews): Promise<void> {
  const folder = await chosenFolder("Import notes");
  const picked = folder && (await vscode.window.showOpenDialog({ title: "A folder of notes", openLabel: "Look at these notes", canSelectFiles: false, canSelectFolders: true }));
  const dir = picked?.[0]?.fsPath;
  if (folder === undefined || dir === undefined) {
    return;
  }
  const run = (title: string, write: boolean) => withProgress(title, (token) => {
    const request = { dir, write, hold: "all", uri: folder.uri.toString() };
    return server.request<Import>("workspace/executeCommand", { command: "brv.import", arguments: [request] }, token);
  });
  const plan = await run("Reading the notes", false);
  const notes = plan?.folders.reduce((sum, { notes }) => sum + notes, 0) ?? 0;
  if (plan === undefined) {
    return;
  }
  if (notes === 0) {
    void vscode.window.showInformationMessage(`brv: nothing to import${plan.left.length === 0 ? "" : `; ${left(plan)}`}.`);
    return;
  }
  const lists = plan.folders.map(({ from, to, notes }) => `${from === "." ? "the notes at the top" : from} → ${to}: ${notes}`);
  const detail = [
    ...lists.slice(0, mostListed),
    ...(lists.length > mostListed ? [`… and ${lists.length - mostListed} more folders`] : []),
    ...(plan.changed === 0 ? [] : ["", `${plan.changed} of them changed since they were imported.`]),
    ...(plan.broken.length === 0 ? [] : ["", `Links that were already broken: ${plan.broken.length}.`]),
    ...(plan.left.length === 0 ? [] : ["", `Left out: ${left(plan)}.`]),
  ].join("\n");
  const title = `Import ${notes} ${notes === 1 ? "note" : "notes"} into the context tree? Each waits for your review.`;
  if ((await vscode.window.showInformationMessage(title, { modal: true, detail }, toReviews)) === toReviews) {
    const { batch } = (await run("Importing the notes", true))?.report ?? {};
    await (batch === undefined ? undefined : reviews.open(folder, batch));
  }
}

/** Why notes are left out, and how many for each reason. */
function left({ left }: Import): string {
  const reasons = [...new Set(left.map(({ why }) => why))];
  return reasons.slice(0, mostListed).map((why) => `${left.filter((each) => each.why === why).length} ${why}`).join(", ");
}
