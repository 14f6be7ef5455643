import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { CancellationToken, ExtensionContext } from "vscode";
import { type Answer, Questions, withProgress } from "../../src/ask.ts";
import type { Heard, Requests } from "../../src/server.ts";
import type { Page, Views } from "../../src/views.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

const found: Answer = { markdown: "The passages.", sources: [], forReader: true };
const answer: Answer = { markdown: "The answer.", sources: [] };

/** Asks a server that tells what it found, and then does what is given; gives what the reader sees after each step. */
async function pages(then: () => Promise<Answer>, tells = true): Promise<string[]> {
  const seen: string[] = [];
  const server = {
    async requestOfModel(_method: string, _params: object, _token: CancellationToken, heard: Heard<Answer>) {
      if (tells) heard.found?.(found);
      return then();
    },
  } as unknown as Requests;
  await new Questions(server, pagesOf(seen), { workspaceState: memory() }).ask({ text: "Why?" });
  await new Promise(setImmediate);
  return seen;
}

/** Pages that tell how they were shown and what they said, and act as they would at a click. */
function pagesOf(seen: string[], acts: (() => unknown)[] = []): Views {
  const told = (how: string, text: string, page: Page) => {
    seen.push(`${how}: ${text.replaceAll(/answer-\d+/g, "answer-n")}`);
    acts.splice(0, acts.length, ...(page.acts ?? []));
  };
  return {
    front: undefined,
    isSeen: () => stand.window.activeTextEditor === undefined,
    showRendered: async (name: string, text: string, page: Page) => told(`open ${page.key.replace(/\d+/, "n")} ${name}`, text, page),
    updateRendered: async (text: string, page: Page) => told(`update ${page.key.replace(/\d+/, "n")}`, text, page),
  } as unknown as Views;
}

/** What is kept of a workspace. */
function memory(): ExtensionContext["workspaceState"] {
  const kept = new Map<string, unknown>();
  return { get: (key: string, otherwise: unknown) => kept.get(key) ?? otherwise, update: async (key: string, value: unknown) => void kept.set(key, value) } as unknown as ExtensionContext["workspaceState"];
}

const asking = "open answer-n Why?: # Why?\n\n> A model is answering. Its answer appears here if it passes the checks.\n\nThe passages.";

test("what was found is shown while the model is asked, and the answer then in the same document", async () => {
  assert.deepEqual(await pages(async () => answer), [asking, "update answer-n: # Why?\n\nThe answer.\n\n---\n\n## What was found\n\nThe passages."]);
  assert.deepEqual(await pages(async () => ({ ...found, note: "it is not shown" })), [asking, "update answer-n: # Why?\n\n> it is not shown\n\nThe passages."]);
});

test("an answer that no model was asked for is shown at once", async () => {
  assert.deepEqual(await pages(async () => answer, false), ["open answer-n Why?: # Why?\n\nThe answer."]);
});

test("who answered is said, and what that took", async () => {
  const by = { ...answer, tier: 3, model: "m_1", tokensIn: 7000, tokensOut: 40 };
  assert.deepEqual(await pages(async () => by, false), ["open answer-n Why?: # Why?\n\nThe answer.\n\n*Answered by m\\_1: 7,000 tokens in, 40 out*"]);
  assert.match((await pages(async () => ({ ...by, tier: 1 }), false))[0] ?? "", /\*Answered by m\\_1 before\*$/);
});

test("what was found stays where the model fails or is not waited for", async () => {
  const ended = [asking, "update answer-n: # Why?\n\n> The model gave no answer.\n\nThe passages."];
  assert.deepEqual(await pages(async () => Promise.reject(new Error("broken"))), ended);
  assert.equal(stand.user.seen.at(-1), "error: brv: broken");
  assert.deepEqual(await pages(async () => (stand.user.cancel?.(), Promise.reject(new Error("cancelled")))), ended);
});

test("who reads something else by then is told, and not taken away from that", async () => {
  const elsewhere = async () => ((stand.window.activeTextEditor = { document: { uri: stand.Uri.file("/shop/a.ts") } }), answer);
  assert.equal((await pages(elsewhere)).length, 2);
  assert.equal(stand.user.seen.at(-1), "info: brv: “Why?” is answered.");
  stand.user.answers = ["Show it"];
  assert.match((await pages(elsewhere)).at(-1) ?? "", /^open .*The answer\./s);
});

/** A server that answers each question the same, and notes where it was asked. */
function stub(given: Answer, asked: string[] = []): Requests {
  return { requestOfModel: async (_method: string, { text, uri }: { text: string; uri: string }) => (asked.push(`${uri} ${text}`), given) } as unknown as Requests;
}

test("what is not covered is said on the page, which leads to writing it down and to the nearest", async () => {
  const seen: string[] = [];
  const acts: (() => unknown)[] = [];
  const near = { title: "Keys_1", filePath: "a b.md", line: 3, start: 0, end: 9 };
  await new Questions(stub({ outOfDomain: true, markdown: "Not covered.", sources: [near] }), pagesOf(seen, acts), { workspaceState: memory() }).ask({ text: "Why?" });
  const link = (n: number) => `command:brv.page.link?${encodeURIComponent(`["answer-n",${n}]`)}`;
  assert.deepEqual(seen, [
    `open answer-n Why?: # Why?\n\nNot covered.\n\n[Write it down](${link(1)})\n\n---\n\n**The nearest**\n\n- **[Keys\\_1](${link(0)} "a b.md&#10;0123")** a b.md:3\n`,
  ]);
  stand.user.seen = [];
  for (const act of acts) await act();
  assert.deepEqual(stand.user.seen, ["brv.open file:///shop/a%20b.md [object Object]", "brv.writeDown [object Object]"]);
});

test("a follow-up and a question asked before go to the folder of the question", async () => {
  stand.workspace.workspaceFolders = ["shop", "bank"].map((name, index) => ({ uri: stand.Uri.file(`/${name}`), name, index }));
  const asked: string[] = [];
  const seen: string[] = [];
  const questions = new Questions(stub(answer, asked), pagesOf(seen), { workspaceState: memory() });
  stand.user.answers = [stand.workspace.workspaceFolders[1], "Why?", "Why, and when?", "bank: Why?", stand.workspace.workspaceFolders[0], "Why?", "shop: Why?"];
  await questions.ask();
  await questions.followUp();
  await questions.again();
  await questions.ask();
  await questions.again();
  assert.deepEqual(asked, ["file:///bank Why?", "file:///bank Why, and when?", "file:///bank Why?", "file:///shop Why?", "file:///shop Why?"]);
  assert.match(seen[0] ?? "", /^open answer-n bank: Why\?: # Why\?/);
});

test("where there is no context tree the message leads to one", async () => {
  stand.user.answers = ["Start a context tree"];
  await withProgress("Checking", async () => Promise.reject(new Error("no context tree in this folder")));
  await new Promise(setImmediate);
  assert.deepEqual(stand.user.seen.slice(1), ["error: brv: no context tree in this folder", "brv.initTree"]);
});
