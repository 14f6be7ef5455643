import * as vscode from "vscode";
import { message, plain } from "./plain";
import type { Requests } from "./server";
import type { Views } from "./views";

export interface Answer {
  outOfDomain?: boolean;
  /** What else the reader should know: a scope widened, a model that failed. */
  note?: string;
  markdown: string;
  sources: { title: string; filePath: string; line: number }[];
}

/**
 * Asks the context tree a question and shows the answer. The question may be given,
 * so that a key binding or another extension can ask; else it is asked for.
 */
export async function ask(server: Requests, views: Views, given?: { text: string }): Promise<Answer | undefined> {
  const text = given?.text ?? (await questionFromUser());
  if (text === undefined) {
    return undefined;
  }
  const uri = folder()?.uri;
  const answer = await withProgress("Asking the context tree", (token) =>
    server.requestOfModel<Answer>("brv/query", { text, uri: uri?.toString() }, token),
  );
  if (answer === undefined) {
    return undefined;
  }
  if (answer.outOfDomain === true) {
    void vscode.window.showInformationMessage(`brv: ${plain(answer.markdown.trim())}`);
    return answer;
  }
  await views.show(text, `# ${text}\n\n${note(answer)}${answer.markdown}${links(answer, uri)}`);
  return answer;
}

function note(answer: Answer): string {
  return answer.note === undefined ? "" : `> ${answer.note.replaceAll(/[\r\n]+/g, " ")}\n\n`;
}

/** Links to the entries, absolute because the answer's document lies in no folder. */
function links(answer: Answer, base: vscode.Uri | undefined): string {
  if (base === undefined || answer.sources.length === 0) {
    return "";
  }
  const all = answer.sources.map(({ title, filePath, line }) => {
    const target = vscode.Uri.joinPath(base, filePath).with({ fragment: `L${line}` });
    return `[${title.replaceAll(/[[\]]/g, "\\$&")}](${target.toString()})`;
  });
  return `\n---\nOpen: ${all.join(" · ")}\n`;
}

function questionFromUser(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: "Ask the context tree",
    placeHolder: "How are refresh tokens rotated?",
    prompt: "Answered from the entries in .brv/context-tree",
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "Type a question." : undefined),
  });
}

/** The folder that is meant: that of the document in the foreground, else the only one. Else the server chooses. */
export function folder(): vscode.WorkspaceFolder | undefined {
  const document = vscode.window.activeTextEditor?.document;
  const folders = vscode.workspace.workspaceFolders ?? [];
  return (document && vscode.workspace.getWorkspaceFolder(document.uri)) ?? (folders.length === 1 ? folders[0] : undefined);
}

/** Runs work under a notification that can cancel it. Failures are shown and yield nothing. */
export async function withProgress<Result>(
  title: string,
  work: (token: vscode.CancellationToken) => Promise<Result>,
): Promise<Result | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, title: `brv: ${title}`, cancellable: true };
  return vscode.window.withProgress(options, async (_, token) => {
    try {
      return await work(token);
    } catch (error) {
      if (!token.isCancellationRequested && !(error instanceof vscode.CancellationError)) {
        void vscode.window.showErrorMessage(`brv: ${plain(message(error))}`);
      }
      return undefined;
    }
  });
}
