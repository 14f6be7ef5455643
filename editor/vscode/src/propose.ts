import * as vscode from "vscode";
import { withProgress } from "./ask";
import { typedTopic, writeDownCommand } from "./curate";
import { chosenFolder } from "./folders";
import { plain } from "./plain";
import type { Reviews } from "./reviews";
import type { Requests } from "./server";

/** What knowledge is drafted from. Paths are relative to the folder. */
export interface Material {
  files?: string[];
  folder?: string;
  /** `worktree`, `staged`, or a commit as git names it. */
  changes?: string;
}

export interface Proposal {
  operations: { type: string; path: string }[];
  report: { batch?: number; applied: { status: string; path: string; message: string }[]; summary: { pending: number } };
  model?: string;
  notes?: string[];
  /** Drafts that are not held before a request names their topic. */
  undecided?: { source: string; title: string; choices: { topic: string; new?: boolean; reason: string }[] }[];
}

/** The most files of one proposal; the server refuses more. */
const mostFiles = 5;

/** Drafts entries from what is chosen: files or one folder in the explorer, else the file in front. */
export async function proposeFile(server: Requests, reviews: Reviews, chosen?: vscode.Uri, all?: vscode.Uri[]): Promise<Proposal | undefined> {
  const uris = all?.length ? all : [chosen ?? vscode.window.activeTextEditor?.document.uri].filter((uri) => uri !== undefined);
  const folder = uris[0] && vscode.workspace.getWorkspaceFolder(uris[0]);
  if (folder === undefined || uris.some((uri) => vscode.workspace.getWorkspaceFolder(uri) !== folder)) {
    void vscode.window.showInformationMessage("brv: open or choose a file of the workspace first. Several files must be in one folder.");
    return undefined;
  }
  const paths = uris.map((uri) => uri.path.slice(folder.uri.path.length).replace(/^\/+/, ""));
  const folders = await Promise.all(uris.map(isFolder));
  if (paths.length > mostFiles || (paths.length > 1 && folders.includes(true))) {
    void vscode.window.showInformationMessage(`brv: choose one folder, or at most ${mostFiles} files.`);
    return undefined;
  }
  return propose(server, reviews, folder, folders[0] === true ? { folder: paths[0] || "." } : { files: paths });
}

async function isFolder(uri: vscode.Uri): Promise<boolean> {
  return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) !== 0;
}

const fromChanges = "Propose knowledge from the changes";

/** Drafts entries from changes of code that the user chooses, or that are given. */
export async function proposeChanges(server: Requests, reviews: Reviews, given?: { changes: string }): Promise<Proposal | undefined> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showInformationMessage("brv: git history is not used, because this workspace is not trusted.");
    return undefined;
  }
  const folder = await chosenFolder(fromChanges);
  const changes = folder && (given?.changes ?? (await changesFromUser()));
  return changes === undefined ? undefined : propose(server, reviews, folder!, { changes });
}

async function changesFromUser(): Promise<string | undefined> {
  const items = [
    { label: "Changes in the work tree", description: "since the last commit", changes: "worktree" },
    { label: "Staged changes", description: "what the next commit will have", changes: "staged" },
    { label: "A commit…", description: "by its hash or another name", changes: undefined },
  ];
  const title = fromChanges;
  const chosen = await vscode.window.showQuickPick(items, { title });
  if (chosen === undefined || chosen.changes !== undefined) {
    return chosen?.changes;
  }
  const validateInput = (text: string) => (/^[^-\s]\S*$/.test(text.trim()) ? undefined : "Type a hash, a tag, or a name such as HEAD~1.");
  return (await vscode.window.showInputBox({ title, prompt: "Which commit?", value: "HEAD", ignoreFocusOut: true, validateInput }))?.trim();
}

/** So many notes of a draft are shown; the most important ones come first. */
const mostNotes = 3;

/**
 * Lets the server draft operations, which it holds, and opens their review. With a model the user can say then what
 * else to look for.
 */
async function propose(server: Requests, reviews: Reviews, folder: vscode.WorkspaceFolder, material: Material, instruction = ""): Promise<Proposal | undefined> {
  const draft = (topic?: string) =>
    withProgress("Drafting knowledge", (token, doing) => {
      const asked = { ...material, ...(instruction !== "" && { instruction }), ...(topic !== undefined && { topic }), uri: folder.uri.toString() };
      return server.requestOfModel<Proposal>("workspace/executeCommand", { command: "brv.propose", arguments: [asked] }, token, { doing });
    });
  let proposal = await draft();
  const [open, ...others] = proposal?.undecided ?? [];
  if (open !== undefined && others.length === 0 && proposal?.operations.length === 0) {
    const topic = await topicFromUser(open);
    if (topic === undefined) {
      return proposal;
    }
    proposal = await draft(topic);
  }
  if (proposal === undefined) {
    return undefined;
  }
  const { report, notes = [] } = proposal;
  const failed = report.applied.filter(({ status }) => status === "failed").map(({ path, message }) => `${path}: ${message}`);
  const said = [...notes, ...failed];
  const { pending } = report.summary;
  const waits = pending === 0 ? undefined : report.batch;
  if (waits === undefined) {
    said.unshift("nothing to propose.");
  } else {
    await reviews.open(folder, waits);
    if (server.hasModel) {
      said.unshift(pending === 1 ? "1 draft waits for a review." : `${pending} drafts wait for a review.`);
    }
  }
  if (said.length > 0) {
    const more = said.length > mostNotes ? ` • ${said.length - mostNotes} more` : "";
    const text = `brv: ${plain(said.slice(0, mostNotes).join(" • "))}${more}`; // a message is one line
    void tell(text, server.hasModel ? () => told(server, reviews, folder, material) : undefined, waits === undefined);
  }
  return proposal;
}

const lookFor = "Look for something else…";
const writeDownLabel = "Write it down";

/** Tells what came of it, whole: a message without a button is folded to its first line. */
async function tell(text: string, again: (() => Promise<unknown>) | undefined, nothing: boolean): Promise<void> {
  const chosen = await vscode.window.showInformationMessage(text, ...(again === undefined ? [] : [lookFor]), nothing ? writeDownLabel : "OK");
  if (chosen === lookFor) {
    await again?.();
  } else if (chosen === writeDownLabel) {
    await vscode.commands.executeCommand(writeDownCommand);
  }
}

/** Drafts from the same, with what the user says. */
async function told(server: Requests, reviews: Reviews, folder: vscode.WorkspaceFolder, material: Material): Promise<void> {
  const instruction = await instructionFromUser();
  if (instruction) {
    await propose(server, reviews, folder, material, instruction);
  }
}

/** No entry says where a draft belongs: the likeliest topics come first. */
async function topicFromUser({ title, choices }: NonNullable<Proposal["undecided"]>[number]): Promise<string | undefined> {
  const items = choices.map(({ topic, reason }) => ({ label: topic, detail: reason, topic: topic as string | undefined }));
  items.push({ label: "Another topic…", detail: "domain/topic", topic: undefined });
  const chosen = await vscode.window.showQuickPick(items, { title: `Where does “${title}” belong?`, matchOnDetail: true });
  if (chosen === undefined || chosen.topic !== undefined) {
    return chosen?.topic;
  }
  return typedTopic("Topic of the draft");
}

/** Rules look for what they know; a model can be told. */
async function instructionFromUser(): Promise<string | undefined> {
  const prompt = "What should the model look for?";
  return (await vscode.window.showInputBox({ title: "Propose knowledge", prompt, ignoreFocusOut: true }))?.trim();
}
