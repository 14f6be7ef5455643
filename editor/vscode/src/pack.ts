import { createHash } from "node:crypto";
import * as vscode from "vscode";
import { withProgress } from "./ask";
import { folder } from "./folders";
import type { Server } from "./server";
import { files, problems, type RecentEdits, references, referencesWithin, visible, within } from "./signals";
import type { Views } from "./views";

export interface Pack {
  /** The document that shows the pack, for as long as the server remembers it. Not there for an empty one. */
  uri?: string;
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
  edits: RecentEdits,
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
  const pack = await withProgress("Packing context", async (token) =>
    server.request<Pack>("brv/context", { task, budgetTokens, ...(await signals(edits)) }, token),
  );
  if (pack === undefined) {
    return undefined;
  }
  await views.show(task, pack.text);
  void offerCopy(pack);
  return pack;
}

/**
 * The folder, and what is being worked on in it: that counts for more. What lies in
 * another folder the server leaves out.
 */
export async function signals(edits: RecentEdits): Promise<object> {
  const editor = vscode.window.activeTextEditor;
  const inFolder = editor !== undefined && vscode.workspace.getWorkspaceFolder(editor.document.uri) !== undefined;
  const uri = inFolder ? editor.document.uri.toString() : folder()?.uri.toString();
  const all = { ...(uri && { uri }), openFiles: files(tabs(), uri), edits: edits.list(Date.now()) };
  return inFolder ? { ...all, ...(await around(editor)) } : all;
}

/** The cursor and what is known around it. */
async function around(editor: vscode.TextEditor): Promise<object> {
  const { uri } = editor.document;
  const { line, character } = editor.selection.active;
  const shown = visible(editor.visibleRanges);
  const found = await within(
    referencesWithin,
    vscode.commands.executeCommand<vscode.Location[] | undefined>("vscode.executeReferenceProvider", uri, editor.selection.active),
  );
  return {
    position: { line, character },
    ...(shown && { visible: shown }),
    diagnostics: problems(uri.toString(), vscode.languages.getDiagnostics(uri), editor.selection.active),
    references: references(found ?? []),
  };
}

/** What is open, also behind other tabs. */
function* tabs(): Generator<vscode.Uri> {
  for (const group of vscode.window.tabGroups.all) {
    for (const { input } of group.tabs) {
      if (input instanceof vscode.TabInputText) {
        yield input.uri;
      }
    }
  }
}

/**
 * Attaches a pack to the chat, with its task as the beginning of a request. The chat takes files only: the pack is
 * written into the extension's own storage, one file a task, and those of the window before are deleted.
 */
export class AttachedPacks {
  private readonly storage: vscode.Uri;
  private emptied = false;

  constructor(extension: vscode.ExtensionContext) {
    this.storage = vscode.Uri.joinPath(extension.storageUri ?? extension.globalStorageUri, "packs");
  }

  async attach(
    server: Server,
    edits: RecentEdits,
    given?: { task: string; query?: string; budgetTokens?: number },
  ): Promise<vscode.Uri | undefined> {
    if (!vscode.workspace.isTrusted) {
      const why = "brv: this workspace is not trusted, so that nothing of it is given to a model.";
      void vscode.window.showInformationMessage(why);
      return undefined;
    }
    const task = given?.task ?? (await taskFromUser());
    if (task === undefined) {
      return undefined;
    }
    return withProgress("Packing context", async (token) => {
      const budgetTokens = given?.budgetTokens ?? usualBudget;
      const asked = { task, budgetTokens, ...(await signals(edits)) };
      const { text } = await server.request<Pack>("brv/context", asked, token);
      if (text === "") {
        throw new Error("nothing in the context tree or the code shares a word with this task");
      }
      const file = await this.write(task, text);
      const opened = { query: given?.query ?? task, isPartialQuery: true, attachFiles: [file] };
      await vscode.commands.executeCommand("workbench.action.chat.open", opened);
      return file;
    });
  }

  private async write(task: string, text: string): Promise<vscode.Uri> {
    if (!this.emptied) {
      this.emptied = true;
      const nothing = () => {}; // there may be none
      await vscode.workspace.fs.delete(this.storage, { recursive: true }).then(nothing, nothing);
    }
    const name = createHash("sha256").update(task).digest("hex").slice(0, 12);
    const file = vscode.Uri.joinPath(this.storage, `brv-pack-${name}.md`);
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text)); // makes the folder
    return file;
  }
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
