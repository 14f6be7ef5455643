import * as vscode from "vscode";
import { withProgress } from "./ask";
import { plain } from "./plain";
import type { Requests } from "./server";

/** What came of operations on the tree; further keys stand beside these. */
export interface Report {
  batch?: number;
  applied: { path: string; filePath?: string; status: string; message: string }[];
}

/** Says what was done, with the undo at hand and, if wanted, the entry itself. Gives whether it was taken back. */
export async function offerUndo(server: Requests, folder: vscode.Uri, { batch, applied }: Report, open = false): Promise<boolean> {
  const [done, ...more] = applied.filter(({ status }) => status === "success");
  const said = more.length > 0 ? `${more.length + 1} operations done.` : (done ?? applied[0])?.message;
  if (said === undefined) {
    return false;
  }
  const buttons = done === undefined || batch === undefined ? [] : [...(open ? ["Open"] : []), "Undo"];
  const chosen = await vscode.window.showInformationMessage(`brv: ${plain(said)}`, ...buttons);
  if (chosen === "Open") {
    await vscode.window.showTextDocument(vscode.Uri.joinPath(folder, ".brv/context-tree", done?.filePath ?? ""));
  } else if (chosen === "Undo") {
    const params = { command: "brv.undo", arguments: [{ batch, uri: folder.toString() }] };
    await withProgress("Undoing", (token) => server.request("workspace/executeCommand", params, token));
  }
  return chosen === "Undo";
}
