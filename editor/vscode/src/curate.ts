import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";

/** What the action carries: where the entry will be, and its text. They travel through the server, so they are plain data. */
export interface Draft {
  uri: string;
  text: string;
}

export const openDraftCommand = "brv.openDraft";

/** The kind of the server's action "Curate this selection". */
const curateKind = "refactor.extract.brv";

/**
 * Opens a new entry as an unsaved document. The server sends it as an edit to be
 * confirmed, which the editor would list in a preview with nothing ticked, so that
 * "Apply" would do nothing. Here the user sees all of the draft, changes it, and
 * saves it or not. Actions that are not the server's own stay as they are.
 */
export const curating = {
  async provideCodeActions(document, range, context, token, next) {
    const actions = await next(document, range, context, token);
    return actions?.map((action) => (action instanceof vscode.CodeAction ? asDraft(action) : action));
  },
  async resolveCodeAction(action, token, next) {
    return asDraft((await next(action, token)) ?? action);
  },
} satisfies Middleware;

/** Replaces the edit of a curate action, if it is there already, by the command that opens it. */
function asDraft(action: vscode.CodeAction): vscode.CodeAction {
  const [file, ...others] = action.edit?.entries() ?? [];
  if (action.kind?.value !== curateKind || file === undefined || others.length > 0) {
    return action;
  }
  const [uri, edits] = file;
  const draft: Draft = { uri: uri.toString(), text: edits.map((edit) => edit.newText).join("") };
  delete action.edit;
  action.command = { title: action.title, command: openDraftCommand, arguments: [draft] };
  return action;
}

/**
 * Shows a draft at its final path: saving writes it there, with its folders, closing
 * discards it. A draft of the same entry that is still open may have been worked on,
 * so it is shown as it is.
 */
export async function openDraft(draft: Draft): Promise<void> {
  const uri = vscode.Uri.parse(draft.uri, true).with({ scheme: "untitled" });
  const document = await vscode.workspace.openTextDocument(uri);
  const fresh = document.getText() === "";
  if (fresh) {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), draft.text);
    await vscode.workspace.applyEdit(edit);
  }
  await vscode.window.showTextDocument(document, { preview: false, selection: new vscode.Range(0, 0, 0, 0) });
  if (!fresh) {
    void vscode.window.showInformationMessage("brv: this draft was still open. Save or close it to draft the entry anew.");
  }
}
