import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { CancellationToken, LanguageModelAccessInformation } from "vscode";
import { EditorModel, type Message, mostBytes } from "../../src/model.ts";
import * as stand from "./vscode.ts";

beforeEach(() => {
  stand.reset();
  stand.user.settings = { "brv.model.provider": "editor" };
});

interface Sent {
  messages: { role: string; content: unknown[] }[];
  options: { justification: string; tools?: unknown; modelOptions?: unknown };
  token: { isCancellationRequested: boolean };
}

/** A model that says its parts, or fails; it keeps what it was sent. */
function model(id: string, said: readonly unknown[] | Error = [], family = id) {
  const sent: Sent[] = [];
  return {
    id, family, name: `The ${id}`, sent,
    async sendRequest(messages: Sent["messages"], options: Sent["options"], token: Sent["token"]) {
      sent.push({ messages, options, token });
      if (said instanceof Error) throw said;
      return { stream: (async function* () { yield* said; })() };
    },
  };
}

const text = (value: string) => new stand.LanguageModelTextPart(value);
const editor = (allowed: boolean | undefined = true) =>
  new EditorModel({ canSendRequest: () => allowed } as unknown as LanguageModelAccessInformation);
const token = () => new stand.CancellationTokenSource().token as unknown as CancellationToken;
const question = { system: "Be brief.", messages: [{ role: "user", text: "Why?" }] satisfies Message[] };

test("the first model answers where none is named, else the one with that id, else of that family", async () => {
  const [one, two, three] = [model("one", [text("1")]), model("two", [text("2")], "three"), model("three", [text("3")])];
  stand.user.models = [one, two, three];
  assert.deepEqual(await editor().complete(question, token()), { text: "1", calls: [], model: "one" });
  stand.user.settings["brv.model.name"] = "three";
  assert.equal((await editor().complete(question, token())).model, "three");
  assert.equal((await editor().complete({ ...question, model: "one" }, token())).model, "one");
  stand.user.models = [one, two];
  assert.equal((await editor().complete(question, token())).model, "two");
  stand.user.settings["brv.model.name"] = "four";
  await assert.rejects(editor().complete(question, token()), /no model "four"; brv\.model\.name can be one, two/);
});

test("an editor without a model says what to do", async () => {
  await assert.rejects(editor().complete(question, token()), /no language model: install/);
});

test("a conversation with tools arrives whole, with the system's words first", async () => {
  const answering = model("one", [text("Be"), text("cause"), new stand.LanguageModelToolCallPart("c2", "read", { path: "a.md" })]);
  stand.user.models = [answering];
  const messages: Message[] = [
    { role: "user", text: "Why?" },
    { role: "assistant", text: "", calls: [{ id: "c1", tool: "search", arguments: { text: "why" } }, { id: "c0", tool: "search", arguments: "{" }] },
    { role: "tool", results: [{ id: "c1", text: "found" }, { id: "c0", text: "no JSON", isError: true }] },
  ];
  const tools = [{ name: "search", description: "Searches", parameters: { type: "object" } }];
  const answer = await editor().complete({ system: "Be brief.", messages, tools }, token());
  assert.deepEqual(answer, { text: "Because", calls: [{ id: "c2", tool: "read", arguments: { path: "a.md" } }], model: "one" });
  const [sent] = answering.sent;
  assert.deepEqual(sent?.messages, [
    { role: "user", content: [text("Be brief.")] },
    { role: "user", content: [text("Why?")] },
    { role: "assistant", content: [new stand.LanguageModelToolCallPart("c1", "search", { text: "why" }), new stand.LanguageModelToolCallPart("c0", "search", {})] },
    { role: "user", content: [new stand.LanguageModelToolResultPart("c1", [text("found")]), new stand.LanguageModelToolResultPart("c0", [text("Error: no JSON")])] },
  ]);
  assert.deepEqual(sent?.options.tools, [{ name: "search", description: "Searches", inputSchema: { type: "object" } }]);
  assert.match(sent?.options.justification ?? "", /context tree/);
  assert.equal(sent?.options.modelOptions, undefined);
});

test("a model that must answer in text makes no calls", async () => {
  stand.user.models = [model("one", [text("yes"), new stand.LanguageModelToolCallPart("c", "read", {})])];
  assert.deepEqual((await editor().complete({ ...question, noCalls: true }, token())).calls, []);
});

test("an answer of a form is told its form, and comes without a fence", async () => {
  const answering = model("one", [text('```json\n{"a":'), text("1}\n```\n")]);
  stand.user.models = [answering];
  const answer = await editor().complete({ ...question, schema: { type: "object" } }, token());
  assert.equal(answer.text, '{"a":1}');
  assert.match((answering.sent[0]?.messages[0]?.content[0] as { value: string }).value, /^Be brief\.\n\n.*JSON Schema.*\n\{"type":"object"\}$/);
});

test("what is no form keeps its fence", async () => {
  const said = "```go\nx\n```";
  stand.user.models = [model("one", [text(said)])];
  assert.equal((await editor().complete(question, token())).text, said);
});

test("an answer is bounded, and the model is stopped", async () => {
  const most = model("one", [text("x".repeat(mostBytes))]);
  stand.user.models = [most];
  assert.equal((await editor().complete(question, token())).text.length, mostBytes);
  const over = model("one", [text("é".repeat(mostBytes / 2)), text("x"), text("never")]);
  stand.user.models = [over];
  await assert.rejects(editor().complete(question, token()), /longer than 1 MiB/);
  assert.equal(over.sent[0]?.token.isCancellationRequested, true);
});

test("an answer ends at its limit of tokens, as the model counts them, else by an estimate", async () => {
  const pieces = () => Array.from({ length: 100 }, () => text("four"));
  for (const [counts, pieceCount] of [
    [async (said: string) => said.length / 4, 10],
    [async (said: string) => said.length / 8, 20], // longer tokens: it is asked again
    [async () => Promise.reject(new Error("no")), 10],
  ] as const) {
    const long = { ...model("one", pieces()), countTokens: counts };
    stand.user.models = [long];
    const { text: said, cut } = await editor().complete({ ...question, maxTokens: 10 }, token());
    assert.deepEqual([said, cut], ["four".repeat(pieceCount), true]);
    assert.equal(long.sent[0]?.token.isCancellationRequested, true);
    assert.equal(long.sent[0]?.options.modelOptions, undefined);
    for (const maxTokens of [0, 100_000]) {
      assert.equal((await editor().complete({ ...question, maxTokens }, token())).text, "four".repeat(100));
    }
  }
});

test("what the server cancels is cancelled at the model", async () => {
  const source = new stand.CancellationTokenSource();
  const said = (function* () { yield text("a"); source.cancel(); yield text("b"); })();
  const answering = model("one", said as unknown as unknown[]);
  stand.user.models = [answering];
  await assert.rejects(editor().complete(question, source.token as unknown as CancellationToken), stand.CancellationError);
  assert.equal(answering.sent[0]?.token.isCancellationRequested, true);
});

test("errors of the editor's model say what to do", async () => {
  const { NoPermissions, Blocked, NotFound } = stand.LanguageModelError;
  for (const [error, says] of [
    [NoPermissions(), /brv may not use .+: allow it/],
    [Blocked("quota"), /refused.*\(quota\)/],
    [NotFound(), /is no longer available: sign in/],
    [new Error("overloaded"), /^Error: overloaded$/],
  ] as const) {
    stand.user.models = [model("one", error)];
    await assert.rejects(editor().complete(question, token()), says);
  }
});

test("a request of the server never makes the editor ask the user", async () => {
  const asked = model("one", [text("yes")]);
  stand.user.models = [asked];
  const unasked = new EditorModel({ canSendRequest: () => undefined } as unknown as LanguageModelAccessInformation);
  await assert.rejects(unasked.complete(question, token()), /not allowed yet: run "brv: Ask the team.s knowledge"/);
  assert.equal(asked.sent.length, 0);
});

test("a command of the user asks once, and only for the editor's model", async () => {
  const asked = model("one", [text("yes")]);
  stand.user.models = [asked];
  const unasked = new EditorModel({ canSendRequest: () => undefined } as unknown as LanguageModelAccessInformation);
  await unasked.consent(token());
  assert.equal(asked.sent.length, 1);
  await editor().consent(token());
  await editor(false).consent(token());
  stand.user.settings["brv.model.provider"] = "openai";
  await unasked.consent(token());
  assert.equal(asked.sent.length, 1);
});

test("in a workspace that is not trusted no model is asked", async () => {
  const asked = model("one", [text("yes")]);
  stand.user.models = [asked];
  stand.workspace.isTrusted = false;
  await assert.rejects(editor().complete(question, token()), /not trusted/);
  const unasked = new EditorModel({ canSendRequest: () => undefined } as unknown as LanguageModelAccessInformation);
  await unasked.consent(token());
  assert.equal(asked.sent.length, 0);
});
