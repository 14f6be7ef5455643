import { execFile } from "node:child_process";
import * as vscode from "vscode";
import { meantFolder } from "./folders";
import { message } from "./plain";
import type { Requests } from "./server";

/** What a tool needs: the server, what the user is at, and the program for what an agent proposes. */
export interface Sources {
  server: Pick<Requests, "request">;
  signals(about: vscode.WorkspaceFolder): Promise<object>;
  program(): string;
}

/** A tool's answer within so many tokens, as the server counts them. Some answers have no budget: they are cut. */
type Answer = (input: Input, budgetTokens: number, token: vscode.CancellationToken) => Promise<string>;

export interface Input {
  task?: string;
  question?: string;
  query?: string;
  scope?: string;
  paths?: string[];
  show?: "outline" | "symbols" | "dependents" | "impact";
  symbol?: string;
  file?: string;
  operations?: object[];
  max_tokens?: number;
}

interface Hit {
  filePath: string;
  line: number;
  title: string;
}

interface Found {
  symbols: { name: string; kind: string; path: string; line: number; signature: string }[];
  total: number;
}

interface Dependent {
  path: string;
  files?: Dependent[];
}

/** The least budget that the server takes, and what is given where neither the model nor the editor says. */
const leastTokens = 256;
const usualTokens = 8000;

/** How many steps an impact is followed: what is further away is most of a project. */
const impactDepth = 3;

/** A text of files in the server's frame, which none of them can close: an entry cannot pose as the tool. */
export async function framed(server: Sources["server"], text: string, token: vscode.CancellationToken): Promise<string> {
  const uri = vscode.workspace.workspaceFolders?.[0]?.uri.toString(); // any folder's server does the same
  return (await server.request<{ text: string }>("brv/frame", { text, uri }, token)).text;
}

/** The tools by name, each with what it answers. */
export function answers(sources: Sources): Record<string, Answer> {
  const { server } = sources;
  const at = () => ({ uri: meantFolder().uri.toString() });
  const frame = (text: string, token: vscode.CancellationToken) => framed(server, text, token);
  const command = <Result>(name: string, argument: object, token: vscode.CancellationToken) =>
    server.request<Result>("workspace/executeCommand", { command: name, arguments: [{ ...at(), ...argument }] }, token);
  return {
    async brv_context({ task }, budgetTokens, token) {
      const asked = { task, budgetTokens, ...(await sources.signals(meantFolder())) };
      const { text, nothing } = await server.request<{ text: string; nothing?: string }>("brv/context", asked, token);
      return text === "" ? `${nothing ?? ""}\n` : frame(text, token);
    },
    async brv_query({ question, scope }, _, token) {
      const asked = { text: question, tierMax: 2, ...(scope !== undefined && { scope }), ...at() };
      const answer = await server.request<{ outOfDomain?: boolean; unsure?: boolean; markdown: string }>("brv/query", asked, token);
      const uncovered = "The context tree does not cover this question. Say so instead of guessing.\n";
      const unsure = "Perhaps nothing here answers this question. Use a passage only if it answers the question.\n";
      return `${answer.outOfDomain === true ? uncovered : answer.unsure === true ? unsure : ""}${await frame(answer.markdown, token)}`;
    },
    async brv_search({ query, scope }, _, token) {
      const asked = { text: query, ...(scope !== undefined && { scope }), ...at() };
      const { hits } = await server.request<{ hits: Hit[] }>("brv/search", asked, token);
      return hits.length === 0
        ? "No entry contains these words.\n"
        : frame(hits.map(({ filePath, line, title }) => `${filePath}:${line} ${title}`).join("\n"), token);
    },
    async brv_read({ paths }, budgetTokens, token) {
      const { text } = await server.request<{ text: string }>("brv/read", { paths, budgetTokens, ...at() }, token);
      return frame(text, token);
    },
    async brv_repo_map({ show = "outline", symbol, file, task }, budgetTokens, token) {
      if (show === "outline") {
        const about = task === undefined ? {} : { task };
        const asked = { ...about, ...(file !== undefined && { path: file }), budgetTokens, ...at() };
        return frame((await server.request<{ outline: string }>("brv/map", asked, token)).outline, token);
      }
      const found = symbol === undefined ? undefined : await command<Found>("brv.symbols", { query: symbol }, token);
      if (show === "symbols") {
        const lines = (found?.symbols ?? []).map(
          ({ path, line, kind, name, signature }) => `${path}:${line} ${kind} ${name}: ${signature}`,
        );
        return lines.length === 0 ? "This code has no definition of this name.\n" : frame(lines.join("\n"), token);
      }
      const path = file ?? found?.symbols[0]?.path;
      if (path === undefined) {
        throw new Error("file: name the file, or a symbol that is defined in this code");
      }
      const asked = { path, reverse: true, depth: show === "impact" ? impactDepth : 1 };
      const { tree } = await command<{ tree: Dependent }>("brv.deps", asked, token);
      const reach = `Files that a change of ${path} can reach, each below the file that it depends on:`;
      const what = show === "impact" ? reach : `Files that depend on ${path}:`;
      return frame([what, ...below(tree, "  ")].join("\n"), token);
    },
    async brv_curate({ operations }, _, token) {
      return frame(await proposed(sources.program(), meantFolder().uri.fsPath, { operations }, token), token);
    },
  };
}

function below(dependent: Dependent, indent: string): string[] {
  return (dependent.files ?? []).flatMap((one) => [`${indent}${one.path}`, ...below(one, `${indent}  `)]);
}

/**
 * Proposes operations by the program, as an agent's: the language server takes changes of its user only. They are
 * held, and the view of reviews, which watches the folder, shows them.
 */
function proposed(program: string, root: string, batch: object, token: vscode.CancellationToken): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = ["curate", "--root", root, "--agent", "the editor's chat"];
    const child = execFile(program, args, { maxBuffer: 1 << 20 }, (error, out, problem) => {
      if (error !== null && out === "") {
        reject(new Error(problem.trim() || message(error)));
      } else {
        resolve(`${out}Nothing changed yet: a person decides, in the view Reviews. Tell the user.\n`);
      }
    });
    token.onCancellationRequested(() => child.kill());
    child.stdin?.on("error", () => {}); // it ended before it read all: its answer says why
    child.stdin?.end(JSON.stringify(batch));
  });
}

/**
 * An answer in at most the tokens of the model that reads it. The server counts with a tokenizer of its own; where the
 * editor counts more, the answer is asked for again with less, and cut at a line end at last.
 */
export async function within(
  answer: (budgetTokens: number) => Promise<string>,
  wanted: number | undefined,
  options: vscode.LanguageModelToolTokenizationOptions | undefined,
  token: vscode.CancellationToken,
): Promise<string> {
  const most = Math.min(wanted ?? usualTokens, options?.tokenBudget ?? Number.POSITIVE_INFINITY);
  let text = await answer(Math.max(leastTokens, most));
  if (options === undefined) {
    return text;
  }
  const count = await options.countTokens(text, token);
  if (count <= most) {
    return text;
  }
  text = await answer(Math.max(leastTokens, Math.floor((most * most * 0.95) / count)));
  if ((await options.countTokens(text, token)) <= most) {
    return text;
  }
  const end = "The answer was cut because the budget is used up. Ask for less.\n";
  for (let rest = text; rest !== ""; ) {
    const cut = rest.slice(0, Math.floor(rest.length * 0.8));
    rest = cut.slice(0, cut.lastIndexOf("\n") + 1);
    const closed = rest + (rest.includes("<brv-data>") ? "</brv-data>\n" : "") + end;
    if ((await options.countTokens(closed, token)) <= most) {
      return closed;
    }
  }
  return end;
}

/** What is shown while a tool works, and what the user is asked before one writes. */
export function prepared(name: string, input: Input): vscode.PreparedToolInvocation {
  if (name !== "brv_curate") {
    return { invocationMessage: "Asking brv" };
  }
  const count = input.operations?.length ?? 0;
  return {
    invocationMessage: "Proposing knowledge",
    confirmationMessages: {
      title: "Propose knowledge for the team?",
      message:
        `${count} ${count === 1 ? "proposal" : "proposals"} will wait in the view Reviews. ` +
        "No entry changes before you approve it there.",
    },
  };
}

/** Registers all tools. They answer in a trusted workspace only: what they return goes to a model. */
export function registerTools(sources: Sources): vscode.Disposable[] {
  return Object.entries(answers(sources)).map(([name, answer]) =>
    vscode.lm.registerTool<Input>(name, {
      prepareInvocation: ({ input }) => prepared(name, input),
      async invoke({ input, tokenizationOptions }, token) {
        if (!vscode.workspace.isTrusted) {
          throw new Error("this workspace is not trusted, so nothing of it is sent to a model");
        }
        const asking = (budget: number) => answer(input, budget, token);
        const text = await within(asking, input.max_tokens, tokenizationOptions, token);
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
      },
    }),
  );
}
