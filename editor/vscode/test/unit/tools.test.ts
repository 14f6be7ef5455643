import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { answers, prepared, within } from "../../src/tools.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
const words = (text: string) => text.split(/\s+/).filter(Boolean).length;

/** An answer of as many words as it was given tokens, a word a line. */
const full = async (budget: number) => {
  const words = Array.from({ length: budget - 22 }, (_, n) => `w${n}`).join("\n");
  return `Above.\n<brv-data>\n${words}\n</brv-data>\n`;
};

test("a tool says of itself what the tool of the same name says to agents", () => {
  const agents = JSON.parse(readFileSync(new URL("../../../../mcp/testdata/tools.json", import.meta.url), "utf8"));
  const said = new Map(agents.map(({ name, description }: { name: string; description: string }) => [name, description]));
  assert.equal(manifest.contributes.languageModelTools.length, 6);
  for (const { name, modelDescription, when } of manifest.contributes.languageModelTools) {
    assert.equal(modelDescription, said.get(name), name);
    assert.equal(when, "isWorkspaceTrusted", name);
  }
});

test("an answer has at most the tokens of the model that reads it, however the server counts", async () => {
  const asked: number[] = [];
  const answer = (budget: number) => (asked.push(budget), full(budget));
  for (const factor of [0.5, 1, 1.3, 4, 40]) {
    asked.length = 0;
    const countTokens = async (text: string) => Math.ceil(words(text) * factor);
    const text = await within(answer, undefined, { tokenBudget: 1000, countTokens }, token);
    assert.ok((await countTokens(text)) <= 1000, `${await countTokens(text)} tokens at ${factor}`);
    assert.ok(text !== "", `nothing at ${factor}`);
    assert.ok(asked.length <= 2);
    assert.equal(text.split("<brv-data>").length, text.split("</brv-data>").length, "a frame that stays open");
  }
});

test("without a budget of the editor the server's count holds", async () => {
  let asked = 0;
  await within(async (budget) => ((asked = budget), "text"), 700, undefined, token);
  assert.equal(asked, 700);
  await within(async (budget) => ((asked = budget), "text"), 90_000, { tokenBudget: 500, countTokens: async () => 1 }, token);
  assert.equal(asked, 500);
});

test("what files say is given to a model in the server's frame only", async () => {
  const file = "of a file";
  const said = { text: file, markdown: file, outline: file, hits: [{ filePath: file, line: 1, title: file }],
    tree: { path: file, files: [{ path: file }] },
    symbols: [{ name: file, kind: "func", path: file, line: 1, signature: file }] };
  const server = { request: async (method: string) => (method === "brv/frame" ? { text: "framed" } : said) };
  const tools = answers({ server: server as never, signals: async () => ({}), program: () => "/bin/cat" });
  for (const [name, tool] of Object.entries(tools)) {
    if (name === "brv_curate") continue; // it runs the program
    for (const show of ["outline", "symbols", "dependents", "impact"] as const) {
      const text = await tool({ task: "t", question: "q", query: "q", paths: ["a"], symbol: "s", show }, 1000, token as never);
      assert.equal(text, "framed", `${name} ${show}`);
    }
  }
});

test("only what writes asks first", () => {
  assert.equal(prepared("brv_context", { task: "x" }).confirmationMessages, undefined);
  assert.match(String(prepared("brv_curate", { operations: [{}, {}] }).confirmationMessages?.message), /^2 proposals will wait/);
});

test("a tool answers of the folder that is meant, and says so where that is open", async () => {
  const asked: object[] = [];
  const server = {
    request: async (method: string, params: object) => (method === "brv/frame" || asked.push(params), { markdown: "", text: "" }),
  };
  const tools = answers({ server: server as never, signals: async ({ uri }) => ({ uri: uri.toString() }), program: () => "" });
  const names = ["brv_context", "brv_query"];
  const call = (name: string) => tools[name]?.({ question: "Why?", task: "Mend it" }, 1000, token);
  for (const name of names) await call(name);
  stand.workspace.workspaceFolders = ["shop", "bank"].map((name, index) => ({ uri: stand.Uri.file(`/${name}`), name, index }));
  for (const name of names) await assert.rejects(async () => call(name), /open a file in the folder that you mean/);
  stand.window.activeTextEditor = { document: { uri: stand.Uri.file("/bank/a.ts") } };
  for (const name of names) await call(name);
  assert.deepEqual(asked.map((params) => (params as { uri: string }).uri), ["file:///shop", "file:///shop", "file:///bank", "file:///bank"]);
});
