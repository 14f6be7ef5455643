import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { CancellationToken, ExtensionContext } from "vscode";
import { type Answer, Questions } from "../../src/ask.ts";
import type { Heard, Requests } from "../../src/server.ts";
import type { Views } from "../../src/views.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

const found: Answer = { markdown: "The passages.", sources: [], forReader: true };
const answer: Answer = { markdown: "The answer.", sources: [] };

/** Asks a server that tells what it found, and then does what is given; gives what the reader sees after each step. */
async function pages(then: () => Promise<Answer>, tells = true): Promise<string[]> {
  const seen: string[] = [];
  const show = (how: string) => async (name: string, text: string, key: string) => void seen.push(`${how} ${key.replace(/\d+/, "n")} ${name}: ${text}`);
  const server = {
    async requestOfModel(_method: string, _params: object, _token: CancellationToken, heard: Heard<Answer>) {
      if (tells) heard.found?.(found);
      return then();
    },
  } as unknown as Requests;
  const views = { showRendered: show("open"), updateRendered: show("update"), inFront: () => stand.window.activeTextEditor === undefined } as unknown as Views;
  const workspaceState = { get: (_: string, otherwise: unknown) => otherwise, update: async () => {} } as unknown as ExtensionContext["workspaceState"];
  await new Questions(server, views, { workspaceState }).ask({ text: "Why?" });
  await new Promise(setImmediate);
  return seen;
}

const asking = "open answer-n Why?: # Why?\n\n> The model is asked about this. What it says comes here, if it stands the checks.\n\nThe passages.";

test("what was found is shown while the model is asked, and the answer then in the same document", async () => {
  assert.deepEqual(await pages(async () => answer), [asking, "update answer-n Why?: # Why?\n\nThe answer.\n\n---\n\n## What was found\n\nThe passages."]);
  assert.deepEqual(await pages(async () => ({ ...found, note: "it is not shown" })), [asking, "update answer-n Why?: # Why?\n\n> it is not shown\n\nThe passages."]);
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
  const ended = [asking, "update answer-n Why?: # Why?\n\n> The model gave no answer.\n\nThe passages."];
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
