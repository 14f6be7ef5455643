import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";
import { withProgress } from "./ask";
import { offerUndo, type Report } from "./done";
import { chosenFolder } from "./folders";
import { plain } from "./plain";
import type { Requests } from "./server";

/** The server's answer to a selection and what somebody says of it. */
interface Draft {
  path: string;
  title: string;
  text: string;
  topics?: { topic: string; new?: boolean; reason: string }[];
  /** Makes the entry in another tree of the user. */
  operation?: object;
}

export const openDraftCommand = "brv.openDraft";
export const writeDownCommand = "brv.writeDown";
export const promoteCommand = "brv.promoteSection";

/** The kind of the server's action "Write down what the next person should know". */
const curateKind = "refactor.extract.brv";
const writeDownTitle = "Write down what the next person should know";

/**
 * The server's action for a selection becomes one that asks for a sentence. Its own edit has to be
 * confirmed, which the editor would list in a preview with nothing ticked. That for a section of a document becomes one
 * whose message leads on. Others stay as they are.
 */
export const curating = {
  async provideCodeActions(document, range, context, token, next) {
    const actions = await next(document, range, context, token);
    return actions?.map((action) => {
      if (action instanceof vscode.CodeAction && action.command?.command === "brv.promote") {
        action.command.command = promoteCommand;
      }
      if (!(action instanceof vscode.CodeAction) || action.kind?.value !== curateKind) {
        return action;
      }
      const ours = new vscode.CodeAction(writeDownTitle, action.kind);
      ours.command = { title: writeDownTitle, command: writeDownCommand, arguments: [{ uri: document.uri, range }] };
      return ours;
    });
  },
  /** Ours is complete; on its way through the server it would become another. */
  async resolveCodeAction(action, token, next) {
    return action.command?.command === writeDownCommand || action.command?.command === promoteCommand ? action : next(action, token);
  },
} satisfies Middleware;

/** What is written down: about a selection, or what a question did not find. */
export interface About {
  uri?: vscode.Uri;
  range?: vscode.Range;
  question?: string;
  /** What is not asked for then. */
  statement?: string;
  topic?: string;
  folder?: vscode.WorkspaceFolder;
}

/** A sentence that was typed for no topic yet: it stands there the next time. */
let unfinished = "";

/**
 * Asks what the next person should know about the selection, and where that belongs, the likeliest topic first.
 * The entry opens as a draft that refers to the code: Tab goes from title to summary to text, saving writes it.
 */
export async function writeDown(server: Requests, done: () => unknown, about: About = {}): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const uri = about.uri ?? editor?.document.uri;
  const folder = about.folder ?? (uri && vscode.workspace.getWorkspaceFolder(uri)) ?? (await chosenFolder("Write down"));
  if (folder === undefined) {
    return;
  }
  const statement = about.statement ?? (await vscode.window.showInputBox({
    title: about.question === undefined ? "What should the next person know?" : about.question,
    prompt: "One sentence: a rule, a reason, a pitfall",
    placeHolder: "Tokens are rotated in one transaction, because a crash between the two steps locked users out",
    value: unfinished,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "Type a sentence." : undefined),
  }));
  if (statement === undefined) {
    return;
  }
  unfinished = statement;
  const range = about.range ?? editor?.selection;
  const inCode = uri?.scheme === "file" && range !== undefined && about.question === undefined && vscode.workspace.getWorkspaceFolder(uri) === folder;
  const asked = inCode ? { uri: uri.toString(), range: await somethingIn(uri, range) } : { uri: folder.uri.toString() };
  const plan = (topic?: string) =>
    withProgress("Drafting", (token) =>
      server.request<Draft>("brv/curate/plan", { ...asked, statement: statement.trim(), ...(topic !== undefined && { topic }) }, token),
    );
  let draft = await plan();
  const topic = draft && (about.topic ?? (await chosenTopic(draft)));
  if (draft === undefined || topic === undefined) {
    return;
  }
  if (topic !== draft.topics?.[0]?.topic) {
    draft = await plan(topic);
  }
  if (draft?.operation !== undefined) {
    const report = await withProgress("Writing it down", (token) =>
      server.request<Report>("brv/curate/apply", { uri: folder.uri.toString(), operations: [draft.operation] }, token));
    unfinished = report === undefined ? unfinished : "";
    if (report !== undefined) {
      await done();
      void vscode.window.showInformationMessage(`brv: ${topic}: ${plain(report.applied[0]?.message ?? "")}`);
    }
  } else if (draft !== undefined) {
    unfinished = "";
    await openDraft({ uri: vscode.Uri.joinPath(folder.uri, draft.path).toString(), text: draft.text });
  }
}

/** Makes an entry of a section of a document; its message opens the entry, and takes it back. */
export async function promote(server: Requests, done: () => unknown, request: { uri: string }): Promise<void> {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(request.uri, true));
  const report = await withProgress("Promoting the section", (token) =>
    server.request<Report>("brv/curate/promote", { ...request, show: false }, token));
  if (report !== undefined && folder !== undefined) {
    await done();
    await ((await offerUndo(server, folder.uri, report, true)) ? done() : undefined);
  }
}

/** The selection, or where nothing is selected the cursor's line. */
async function somethingIn(uri: vscode.Uri, range: vscode.Range): Promise<{ start: vscode.Position; end: vscode.Position }> {
  const { start, end } = range.isEmpty ? (await vscode.workspace.openTextDocument(uri)).lineAt(range.start.line).range : range;
  return { start, end }; // a range of the editor's is written as a list
}

const topicForm = /^[^/\s][^/]*(\/[^/]+){1,2}$/; // also of another tree, team:money/rates

async function chosenTopic({ title, topics = [] }: Draft): Promise<string | undefined> {
  const items = topics.map(({ topic, reason, new: made }) => ({ label: topic, description: made ? "new" : "", detail: reason.replaceAll("`", ""), topic: topic as string | undefined }));
  items.push({ label: "Another topic…", description: "", detail: "domain/topic", topic: undefined });
  const chosen = await vscode.window.showQuickPick(items, { title: `Where does “${title}” belong?`, matchOnDetail: true, ignoreFocusOut: true });
  if (chosen === undefined || chosen.topic !== undefined) {
    return chosen?.topic;
  }
  return typedTopic("Topic of the entry");
}

/** A topic that the user types. */
export async function typedTopic(title: string): Promise<string | undefined> {
  const validateInput = (text: string) => (topicForm.test(text.trim()) ? undefined : "Type domain/topic.");
  return (await vscode.window.showInputBox({ title, prompt: "domain/topic", ignoreFocusOut: true, validateInput }))?.trim();
}

/**
 * Shows a draft at its final path: saving writes it there, with its folders, closing
 * discards it. A draft of the same entry that is still open may have been worked on,
 * so it is shown as it is.
 */
export async function openDraft(draft: { uri: string; text: string }): Promise<void> {
  const uri = vscode.Uri.parse(draft.uri, true).with({ scheme: "untitled" });
  let document = await vscode.workspace.openTextDocument(uri);
  if (document.languageId !== "markdown") {
    document = await vscode.languages.setTextDocumentLanguage(document, "markdown");
  }
  const fresh = document.getText() === "";
  const editor = await vscode.window.showTextDocument(document, { preview: false, selection: new vscode.Range(0, 0, 0, 0) });
  if (fresh) {
    await editor.insertSnippet(new vscode.SnippetString(withStops(draft.text)), new vscode.Position(0, 0));
  } else {
    void vscode.window.showInformationMessage("brv: this draft was still open. To start a new draft, save or close it first.");
  }
}

/** The text as a snippet, with stops at title, summary and the first rule. */
export function withStops(text: string): string {
  let stop = 0;
  const literal = (part: string) => part.replaceAll(/[\\$}]/g, "\\$&");
  return text
    .split("\n")
    .map((line) => {
      const [, lead, value] = /^(title: |summary: |- (?=.*[.!?]$))(.+)$/.exec(line) ?? [];
      return lead === undefined || value === undefined || stop === 3 ? literal(line) : `${literal(lead)}\${${++stop}:${literal(value)}}`;
    })
    .join("\n");
}
