import * as vscode from "vscode";
import { folder, withProgress } from "./ask";
import type { Server } from "./server";
import type { Views } from "./views";

export interface Pack {
  text: string;
  tokens: number;
  budget: number;
}

/** What is offered as budget: room for a handful of entries and their code. */
const usualBudget = 8000;

/** Collects knowledge and code for a task within a budget of tokens, and shows them. */
export async function packTask(
  server: Server,
  views: Views,
  given?: { task: string; budgetTokens?: number },
): Promise<Pack | undefined> {
  const task = given?.task ?? (await taskFromUser());
  if (task === undefined) {
    return undefined;
  }
  const budgetTokens = given === undefined ? await budgetFromUser() : (given.budgetTokens ?? usualBudget);
  if (budgetTokens === undefined) {
    return undefined;
  }
  const pack = await withProgress("Packing context", (token) =>
    server.request<Pack>("brv/context", { task, budgetTokens, ...where() }, token),
  );
  if (pack === undefined) {
    return undefined;
  }
  await views.show(task, pack.text);
  void offerCopy(pack);
  return pack;
}

/** The folder, and the cursor in it: what is being worked on counts for more. */
function where(): { uri?: string; position?: { line: number; character: number } } {
  const editor = vscode.window.activeTextEditor;
  if (editor !== undefined && vscode.workspace.getWorkspaceFolder(editor.document.uri) !== undefined) {
    const { line, character } = editor.selection.active;
    return { uri: editor.document.uri.toString(), position: { line, character } };
  }
  const uri = folder()?.uri.toString();
  return uri === undefined ? {} : { uri };
}

async function offerCopy(pack: Pack): Promise<void> {
  const used = pack.tokens.toLocaleString("en");
  const budget = pack.budget.toLocaleString("en");
  if ((await vscode.window.showInformationMessage(`brv: packed ${used} of ${budget} tokens.`, "Copy")) === "Copy") {
    await vscode.env.clipboard.writeText(pack.text);
  }
}

function taskFromUser(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: "Pack context for task (1/2)",
    placeHolder: "Limit refresh tokens to one device",
    prompt: "What do you want to do?",
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "Describe the task." : undefined),
  });
}

async function budgetFromUser(): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title: "Pack context for task (2/2)",
    value: String(usualBudget),
    prompt: "The most tokens that the pack may have",
    ignoreFocusOut: true,
    validateInput: (text) => (/^[1-9][0-9]*$/.test(text.trim()) ? undefined : "Type a number."),
  });
  return text === undefined ? undefined : Number(text);
}
