import * as vscode from "vscode";
import { type Answer } from "./ask";
import { chosenFolder } from "./folders";
import { message, plain } from "./plain";
import type { Proposal } from "./propose";
import type { Sources } from "./tools";
import { framed } from "./tools";

export const participantId = "brv-lsp.brv";

/** One request in the chat, and where its answer goes. */
interface Turn {
  sources: Sources;
  request: vscode.ChatRequest;
  stream: vscode.ChatResponseStream;
  token: vscode.CancellationToken;
  context: vscode.ChatContext;
  folder: vscode.WorkspaceFolder;
}

interface Item {
  path: string;
  kind: string;
  lines?: [number, number];
}

interface Pack {
  uri?: string;
  text: string;
  tokens: number;
  budget: number;
  items: Item[];
}

/** What of a model's window a pack may take: the conversation and the answer need the rest. */
const share = 1 / 4;
const mostTokens = 16_000;

/** How many requests before one tell what it is about: more would drown it. */
const mostBefore = 5;

/** What is left for another turn to ask about, in the result of this one. */
interface Result extends vscode.ChatResult {
  metadata: { command: string; prompt: string };
}

/** Answers in the chat as @brv: /ask from the tree, /pack, /curate, and without a command the model with a pack. */
export function participant(sources: Sources): vscode.ChatRequestHandler {
  return async (request, context, stream, token): Promise<Result> => {
    const result: Result = { metadata: { command: request.command ?? "", prompt: request.prompt } };
    if (!vscode.workspace.isTrusted) {
      stream.markdown("This workspace is not trusted, so nothing of it is sent to a model.");
      return result;
    }
    const work = { ask: answerFromTree, pack: attachPack, curate: proposeEntries }[request.command ?? ""] ?? converse;
    const folder = await chosenFolder("@brv");
    if (folder === undefined) {
      stream.markdown("Open a folder, or choose one. The answer comes from that folder.");
      return result;
    }
    try {
      await work({ sources, request, stream, token, context, folder });
    } catch (error) {
      if (!token.isCancellationRequested) {
        return { ...result, errorDetails: { message: plain(message(error)) } };
      }
    }
    return result;
  };
}

async function answerFromTree({ sources, request, stream, token, folder }: Turn): Promise<void> {
  const asked = { text: request.prompt, tierMax: 2, uri: folder.uri.toString() };
  const answer = await sources.server.request<Answer>("brv/query", asked, token);
  stream.markdown(new vscode.MarkdownString(answer.markdown)); // not trusted: no commands, no HTML
  for (const { filePath, line } of answer.outOfDomain === true ? [] : answer.sources) {
    refer(stream, folder.uri, filePath, line);
  }
  if (answer.outOfDomain === true) {
    stream.button({ command: "brv.writeDown", title: "Write it down", arguments: [{ question: request.prompt, folder }] });
  }
}

/** What the conversation is about: what was asked before counts too. */
function task({ request, context }: Turn): string {
  const before = context.history.flatMap((one) => (one instanceof vscode.ChatRequestTurn ? [one.prompt] : []));
  return [...before.slice(-mostBefore), request.prompt].join("\n");
}

/** The pack for a request, and its sources as references. */
async function packed(turn: Turn): Promise<Pack> {
  const { sources, request, stream, token, folder } = turn;
  stream.progress("Packing context");
  const budgetTokens = Math.min(mostTokens, Math.max(256, Math.floor(request.model.maxInputTokens * share)));
  const asked = { task: task(turn), budgetTokens, ...(await sources.signals(folder)) };
  const pack = await sources.server.request<Pack>("brv/context", asked, token);
  for (const { kind, path, lines } of pack.items ?? []) {
    refer(stream, folder.uri, kind === "entry" ? `.brv/context-tree/${path}` : path, lines?.[0]);
  }
  return pack;
}

function refer(stream: vscode.ChatResponseStream, base: vscode.Uri, path: string, line?: number): void {
  const uri = vscode.Uri.joinPath(base, path);
  stream.reference(line === undefined || line < 1 ? uri : new vscode.Location(uri, new vscode.Position(line - 1, 0)));
}

async function attachPack(turn: Turn): Promise<void> {
  const { request, stream } = turn;
  const made = await packed(turn);
  stream.markdown(`Packed ${made.tokens} of ${made.budget} tokens.\n`);
  if (made.uri !== undefined) {
    stream.anchor(vscode.Uri.parse(made.uri, true), "The pack");
  }
  const given = { task: task(turn), query: request.prompt, budgetTokens: made.budget };
  stream.button({ command: "brv.attachPack", title: "Add it to the chat", arguments: [given] });
}

/** Drafts entries from the files that are attached, else from the one in front; they wait in Reviews. */
async function proposeEntries({ sources, request, stream, token }: Turn): Promise<void> {
  const attached = request.references.flatMap(({ value }) =>
    value instanceof vscode.Uri ? [value] : value instanceof vscode.Location ? [value.uri] : [],
  );
  const front = vscode.window.activeTextEditor?.document.uri;
  const uris = attached.length > 0 ? attached : front === undefined ? [] : [front];
  const root = uris[0] && vscode.workspace.getWorkspaceFolder(uris[0]);
  if (root === undefined) {
    stream.markdown("Attach or open a file of the workspace. Entries are drafted from it.");
    return;
  }
  const own = uris.filter((uri) => vscode.workspace.getWorkspaceFolder(uri) === root);
  const files = own.map((uri) => vscode.workspace.asRelativePath(uri, false));
  stream.progress("Drafting entries");
  const instruction = request.prompt.trim();
  const asked = { files, uri: root.uri.toString(), ...(instruction !== "" && { instruction }) };
  const { report, operations, undecided } = await sources.server.request<Proposal>("brv/curate/propose", asked, token);
  for (const { path } of operations) {
    stream.markdown(`- \`${path.replaceAll("`", "'")}\`\n`);
  }
  for (const { title, choices } of undecided ?? []) {
    const topics = choices.map(({ topic }) => topic).join(", ");
    stream.markdown(new vscode.MarkdownString().appendText(`Needs a topic: ${title} (${topics})\n`));
  }
  const held = `\nReview ${report.batch} waits for you; no entry changed yet.`;
  stream.markdown(report.batch === undefined ? "\nNothing waits for a review." : held);
  stream.button({ command: "brv.reviewQueue.focus", title: "Open the reviews" });
}

/** Has the model that the user chose answer, with a pack before the conversation. */
async function converse(turn: Turn): Promise<void> {
  const { sources, request, stream, token, context } = turn;
  const { text } = await packed(turn);
  const given = await framed(sources.server, text, token);
  const user = vscode.LanguageModelChatMessage.User;
  const said = (part: unknown) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : "");
  const before = context.history.map((one) =>
    one instanceof vscode.ChatRequestTurn
      ? user(one.prompt)
      : vscode.LanguageModelChatMessage.Assistant(one.response.map(said).join("")),
  );
  const rules =
    "Answer about this project from what follows, and name the entries and files that you use. " +
    "Where it does not hold the answer, say so.\n";
  const messages = [user(rules + given), ...before, user(request.prompt)];
  const answer = await request.model.sendRequest(messages, {}, token);
  for await (const part of answer.text) {
    stream.markdown(part);
  }
}

/** What can be asked next. */
export const followups: vscode.ChatFollowupProvider = {
  provideFollowups({ metadata }: Partial<Result>) {
    switch (metadata?.command) {
      case "ask":
        return [{ prompt: metadata.prompt, command: "pack", label: "Pack the context for this" }];
      case "pack":
        return [{ prompt: metadata.prompt, label: "Answer with this pack" }];
      default:
        return [];
    }
  },
};

/** Registers @brv. */
export function registerParticipant(sources: Sources): vscode.Disposable {
  const ours = vscode.chat.createChatParticipant(participantId, participant(sources));
  ours.followupProvider = followups;
  ours.iconPath = new vscode.ThemeIcon("book");
  return ours;
}
