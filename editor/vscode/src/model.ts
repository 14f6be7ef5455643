import * as vscode from "vscode";
import type { CancellationToken } from "vscode";

/** What the server asks of the editor's model, with the whole conversation. */
export interface Request {
  /** The model that the settings name, where they name one. */
  model?: string;
  system: string;
  messages: Message[];
  tools?: { name: string; description: string; parameters: object }[];
  /** The answer must be text. */
  noCalls?: boolean;
  /** The answer is one JSON value of this form. */
  schema?: unknown;
  /** The most tokens of the answer; 0 for no limit but the model's. */
  maxTokens?: number;
}

export interface Message {
  role: "user" | "assistant" | "tool";
  text?: string;
  calls?: Call[];
  results?: { id: string; text: string; isError?: boolean }[];
}

/** A tool call. What a model wrote as arguments may be no object. */
export interface Call {
  id: string;
  tool: string;
  arguments: unknown;
}

export interface Answer {
  text: string;
  calls: Call[];
  /** The text ends at the request's limit of tokens. */
  cut?: true;
  model: string;
}

/** The most bytes of an answer: an answer is prose or a few entries, and a model that repeats itself is stopped. */
export const mostBytes = 1 << 20;

const justification = "Answers questions from the context tree and drafts entries of it, when you ask for that.";

/** Whether this editor has models that extensions may ask. Some builds of it have none. */
export function editorHasModels(): boolean {
  return typeof vscode.lm?.selectChatModels === "function";
}

/** The editor's language model. */
export class EditorModel {
  private readonly access: vscode.LanguageModelAccessInformation | undefined;

  constructor(access: vscode.LanguageModelAccessInformation | undefined) {
    this.access = access;
  }

  /**
   * Lets the user allow the model, if that was never asked. The editor asks with the first request to a model, and
   * that must follow from what the user did: a command calls this, a request of the server does not.
   */
  async consent(token: CancellationToken): Promise<void> {
    if (vscode.workspace.getConfiguration("brv.model").get("provider") !== "editor" || !vscode.workspace.isTrusted || !editorHasModels()) {
      return;
    }
    try {
      const model = await choose();
      if (this.access?.canSendRequest(model) === undefined) {
        await collect(model, [vscode.LanguageModelChatMessage.User("Answer with the word yes.")], {}, token);
      }
    } catch {
      // What is wrong is said where the model is needed.
    }
  }

  /** Answers one request of the server. An error says what to do. */
  async complete(request: Request, token: CancellationToken): Promise<Answer> {
    if (!vscode.workspace.isTrusted) {
      throw new Error("no model was used, because this workspace is not trusted");
    }
    const model = await choose(request.model);
    if (this.access?.canSendRequest(model) === undefined) {
      throw new Error(`${model.name} was not allowed yet: run "brv: Ask the team's knowledge", and allow it when the editor asks`);
    }
    const tools = (request.tools ?? []).map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters }));
    const answer = await collect(model, messages(request), tools.length === 0 ? {} : { tools }, token, request.maxTokens);
    const text = request.schema === undefined ? answer.text : withoutFence(answer.text);
    return { text, calls: request.noCalls === true ? [] : answer.calls, ...(answer.cut && { cut: true }), model: model.id };
  }
}

/** The model that the settings name by id or family, else the first. */
async function choose(wanted = vscode.workspace.getConfiguration("brv.model").get("name", "")): Promise<vscode.LanguageModelChat> {
  const all = await vscode.lm.selectChatModels();
  const [first] = wanted === "" ? all : [...all.filter(({ id }) => id === wanted), ...all.filter(({ family }) => family === wanted)];
  if (first !== undefined) {
    return first;
  }
  if (all.length === 0) {
    throw new Error("the editor has no language model: install an extension that provides one, such as GitHub Copilot Chat, and sign in to it");
  }
  throw new Error(`the editor has no model "${wanted}"; brv.model.name can be ${[...new Set(all.map(({ id }) => id))].slice(0, 20).join(", ")}`);
}

/**
 * The conversation in the editor's terms. It has no role for the system's words and no form for an answer, so both
 * are said first. Temperature is not passed on: the editor leaves open which options a model takes
 * (`modelOptions`), and many models refuse a request with one that they do not know. Length is kept by `collect`.
 */
function messages(request: Request): vscode.LanguageModelChatMessage[] {
  const form = request.schema === undefined ? "" : `Answer with one JSON value of this JSON Schema, and nothing else:\n${JSON.stringify(request.schema)}`;
  const first = [request.system, form].filter((text) => text !== "").join("\n\n");
  const said = request.messages.map(({ role, text = "", calls = [], results = [] }) => {
    const words = text === "" ? [] : [new vscode.LanguageModelTextPart(text)];
    if (role === "assistant") {
      const made = calls.map((call) => new vscode.LanguageModelToolCallPart(call.id, call.tool, asObject(call.arguments)));
      return vscode.LanguageModelChatMessage.Assistant([...words, ...made]);
    }
    const told = results.map(({ id, text, isError }) => {
      const part = new vscode.LanguageModelTextPart(isError === true ? `Error: ${text}` : text);
      return new vscode.LanguageModelToolResultPart(id, [part]);
    });
    return vscode.LanguageModelChatMessage.User([...told, ...words]);
  });
  return first === "" ? said : [vscode.LanguageModelChatMessage.User(first), ...said];
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** About what a token has of English prose, in bytes. */
const bytesPerToken = 4;

/**
 * Sends a request and collects its answer, within the bound. Where the answer has as many tokens as it may, the model
 * is stopped and what it said until then is the answer, as other providers cut theirs.
 */
async function collect(
  model: vscode.LanguageModelChat,
  asked: vscode.LanguageModelChatMessage[],
  options: vscode.LanguageModelChatRequestOptions,
  token: CancellationToken,
  mostTokens = 0,
): Promise<{ text: string; calls: Call[]; cut: boolean }> {
  const stop = new vscode.CancellationTokenSource();
  const cancelled = token.onCancellationRequested(() => stop.cancel());
  try {
    const response = await model.sendRequest(asked, { ...options, justification }, stop.token);
    const found = { text: "", calls: [] as Call[], cut: false };
    let bytes = 0;
    let count = mostTokens > 0 ? mostTokens * bytesPerToken : Infinity; // at so many bytes
    for await (const part of response.stream) {
      if (token.isCancellationRequested) {
        throw new vscode.CancellationError();
      }
      if (part instanceof vscode.LanguageModelTextPart) {
        bytes += Buffer.byteLength(part.value);
        found.text += part.value;
      } else if (part instanceof vscode.LanguageModelToolCallPart) {
        bytes += Buffer.byteLength(JSON.stringify(part.input) ?? "");
        found.calls.push({ id: part.callId, tool: part.name, arguments: asObject(part.input) });
      }
      if (bytes > mostBytes) {
        stop.cancel();
        throw new Error(`the answer of ${model.name} is longer than ${mostBytes >> 20} MiB`);
      }
      if (bytes >= count) {
        const left = mostTokens - (await tokensOf(model, found, stop.token));
        if (left <= 0) {
          stop.cancel();
          found.cut = true;
          break;
        }
        count = bytes + left * bytesPerToken;
      }
    }
    return found;
  } catch (error) {
    throw explained(error, model);
  } finally {
    cancelled.dispose();
    stop.dispose();
  }
}

/** The tokens of an answer, as its model counts them; an estimate where it does not. */
async function tokensOf(model: vscode.LanguageModelChat, { text, calls }: { text: string; calls: Call[] }, token: CancellationToken): Promise<number> {
  const said = [text, ...calls.map(({ arguments: made }) => JSON.stringify(made))].join("\n");
  try {
    return await model.countTokens(said, token);
  } catch {
    return Buffer.byteLength(said) / bytesPerToken;
  }
}

/** What to do about an error of the editor's model. */
function explained(error: unknown, model: vscode.LanguageModelChat): unknown {
  if (!(error instanceof vscode.LanguageModelError)) {
    return error;
  }
  switch (error.code) {
    case vscode.LanguageModelError.NoPermissions.name:
      return new Error(`brv may not use ${model.name}: allow it with "Manage Language Model Access…" in the menu of the extension`);
    case vscode.LanguageModelError.Blocked.name:
      return new Error(`${model.name} refused the request: its quota is used up, or its provider blocks requests (${error.message})`);
    case vscode.LanguageModelError.NotFound.name:
      return new Error(`${model.name} is no longer available: sign in to its provider, or choose another model in brv.model.name`);
    default:
      return error;
  }
}

/** JSON without the fence that models like to put around it. */
function withoutFence(text: string): string {
  return /^\s*```\w*\n([^]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}
