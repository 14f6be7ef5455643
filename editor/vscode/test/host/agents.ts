import assert from "node:assert/strict";
import { join } from "node:path";
import * as vscode from "vscode";
import { followups, participant } from "../../src/participant.ts";
import { definitions } from "../../src/servers.ts";
import { answers, type Sources } from "../../src/tools.ts";
import { eventually, file, find, test } from "./harness.ts";

const token = () => new vscode.CancellationTokenSource().token;
const program = () => join(vscode.extensions.getExtension("brv-lsp.brv-lsp")?.extensionPath ?? "", "bin/brv-lsp");

/** What the tools are given, by the commands that the running extension has of its server. */
const commands: Record<string, string> = {
  "brv/context": "brv.pack", "brv/query": "brv.query", "brv/curate/propose": "brv.propose", "brv/frame": "brv.frame",
};
const sources: Sources = {
  server: {
    request: <Result>(method: string, params: object) => vscode.commands.executeCommand<Result>(commands[method] ?? method, params) as Promise<Result>,
  },
  signals: async () => ({ uri: file("").toString() }),
  program,
};

async function invoke(name: string, input: object, budget?: number): Promise<string> {
  const tokenizationOptions = budget === undefined ? undefined : { tokenBudget: budget, countTokens: async (text: string) => Math.ceil(text.length / 2) };
  const options = { input, toolInvocationToken: undefined, ...(tokenizationOptions && { tokenizationOptions }) };
  const { content } = await vscode.lm.invokeTool(name, options, token());
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
}

/** A turn of the chat with @brv: what was streamed, and the result. */
async function turn(prompt: string, command?: string, references: vscode.ChatPromptReference[] = [], cancel = token(), before: string[] = []) {
  const [model] = await vscode.lm.selectChatModels({ vendor: "brv-test", id: "echo" });
  assert.ok(model);
  const streamed = { text: "", references: [] as string[], buttons: [] as string[] };
  const stream = {
    markdown: (value: string | vscode.MarkdownString) => (streamed.text += typeof value === "string" ? value : value.value),
    reference: (value: vscode.Uri | vscode.Location) => streamed.references.push(vscode.workspace.asRelativePath(value instanceof vscode.Uri ? value : value.uri)),
    button: ({ command }: vscode.Command) => streamed.buttons.push(command),
    progress() {}, anchor() {}, filetree() {}, push() {},
  } as unknown as vscode.ChatResponseStream;
  const request = { prompt, command, references, toolReferences: [], model } as unknown as vscode.ChatRequest;
  // what the editor makes and an extension cannot: turns with their class
  const history = before.map((prompt) => Object.assign(Object.create(vscode.ChatRequestTurn.prototype), { prompt }) as vscode.ChatRequestTurn);
  const result = await participant(sources)(request, { history }, stream, cancel);
  return { ...streamed, result };
}

/** The tools of the language model, and @brv. */
export function agents(): void {
  const want: [string, object, RegExp][] = [
    ["brv_context", { task: "Limit refresh tokens to one device in rotateRefreshToken" }, /src\/auth\/tokens\.ts/],
    ["brv_query", { question: "How are refresh tokens rotated?" }, /Refresh token rotation|used once/],
    ["brv_query", { question: "Which volcano erupted in Iceland yesterday?" }, /does not cover/],
    ["brv_search", { query: "refresh tokens" }, /refresh_rotation\.md:\d+/],
    ["brv_read", { paths: ["src/auth/tokens.ts:1-3"] }, /src\/auth\/tokens\.ts/],
    ["brv_repo_map", {}, /tokens\.ts/],
    ["brv_repo_map", { show: "symbols", symbol: "rotateRefreshToken" }, /src\/auth\/tokens\.ts:\d+/],
    ["brv_repo_map", { show: "impact", file: "src/auth/signing.ts" }, /a change of src\/auth\/signing\.ts/],
  ];
  for (const [name, input, answer] of want) {
    test(`the tool ${name} answers ${JSON.stringify(input)}`, async () => {
      await eventually("tool", async () => vscode.lm.tools.find((tool) => tool.name === name));
      const text = await eventually("answer", async () => {
        const text = await invoke(name, input);
        return answer.test(text) ? text : undefined;
      });
      assert.match(text, /<brv-data>/);
    });
  }

  test("a tool's answer has at most the tokens that the editor gives it, by the editor's count", async () => {
    for (const budget of [300, 900]) {
      const text = await invoke("brv_context", { task: "Limit refresh tokens to one device in rotateRefreshToken" }, budget);
      assert.ok(text.length > 0 && text.length <= budget * 2, `${text.length / 2} of ${budget}`);
    }
  });

  test("what a tool proposes is an agent's and waits in the reviews", async () => {
    const propose = answers(sources)["brv_curate"];
    assert.ok(propose);
    await find("src/auth/tokens.ts", "rotateRefreshToken"); // the folder that is meant
    const facts = [{ statement: "A tool proposed this." }];
    const operations = [{ type: "ADD", path: "authentication/tokens", title: "By a tool", reason: "Limit devices", content: { facts } }];
    const text = await propose({ operations }, 8000, token());
    assert.match(text, /Nothing changed yet/);
    const { reviews } = await vscode.commands.executeCommand<{ reviews: { batch: number; origin?: { kind?: string; tool?: string } }[] }>("brv.reviews", {});
    const last = reviews.at(-1);
    assert.deepEqual([last?.origin?.kind, last?.origin?.tool], ["agent", "the editor's chat"]);
    await vscode.commands.executeCommand("brv.reject", { batch: last?.batch });
  });

  test("@brv answers by the model, with the pack before the request", async () => {
    const said = await turn("Limit refresh tokens to one device in rotateRefreshToken");
    assert.equal(said.text, "Limit refresh tokens to one device in rotateRefreshToken"); // the model says again what it was asked
    assert.ok(said.references.includes("src/auth/tokens.ts"), said.references.join(", "));
    const asked = await vscode.commands.executeCommand<{ said: string[] }[]>("brv-test.asked");
    assert.match(asked.at(-1)?.said[0] ?? "", /<brv-data>[^]*Refresh token rotation/);
  });

  test("@brv packs for the conversation, not for its last request alone", async () => {
    const said = await turn("and on one device only?", undefined, [], token(), ["Limit refresh tokens in rotateRefreshToken"]);
    assert.ok(said.references.includes("src/auth/tokens.ts"), said.references.join(", "));
  });

  test("@brv /ask answers from the tree, with its sources and what can be asked next", async () => {
    const said = await turn("How are refresh tokens rotated?", "ask");
    assert.match(said.text, /Refresh token rotation|used once/);
    assert.ok(said.references.some((path) => path.endsWith("refresh_rotation.md")), said.references.join(", "));
    const next = await followups.provideFollowups(said.result ?? {}, { history: [] }, token());
    assert.deepEqual(next?.map(({ command }) => command), ["pack"]);
  });

  test("@brv /pack offers the pack for the chat", async () => {
    const said = await turn("Limit refresh tokens to one device in rotateRefreshToken", "pack");
    assert.match(said.text, /^Packed \d+ of \d+ tokens/);
    assert.deepEqual(said.buttons, ["brv.attachPack"]);
  });

  test("a pack is a file outside of the folder, for the chat", async () => {
    const task = { task: "Limit refresh tokens to one device in rotateRefreshToken", budgetTokens: 3000 };
    const pack = await vscode.commands.executeCommand<vscode.Uri>("brv.attachPack", task);
    assert.match(Buffer.from(await vscode.workspace.fs.readFile(pack)).toString(), /Refresh token rotation/);
    assert.equal(vscode.workspace.getWorkspaceFolder(pack), undefined);
  });

  test("@brv /curate drafts from what is attached, and it waits", async () => {
    const said = await turn("", "curate", [{ id: "file", value: file("src/auth/signing.ts") }]);
    assert.match(said.text, /waits for you|Needs a topic|Nothing waits for a review/);
    const batch = /Review (\d+) waits/.exec(said.text)?.[1];
    if (batch !== undefined) await vscode.commands.executeCommand("brv.reject", { batch: Number(batch) });
  });

  test("@brv says nothing more once it is cancelled", async () => {
    const source = new vscode.CancellationTokenSource();
    const answer = turn("wait for it", undefined, [], source.token);
    await eventually("request", async () => {
      const asked = await vscode.commands.executeCommand<{ said: string[] }[]>("brv-test.asked");
      return asked.at(-1)?.said.at(-1)?.includes("wait for it") || undefined;
    });
    source.cancel();
    assert.equal((await answer).text, "");
  });

  test("the tool server is known without a configuration file", async () => {
    const [server, ...more] = definitions(program, "1");
    assert.deepEqual([server?.command, server?.args.slice(0, 2), more], [program(), ["mcp", "--root"], []]);
  });
}
