import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { renaming } from "../../src/renaming.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

const refusal = new Error("alerts.md: no such [name](command:x)");
const said = ["error: brv: alerts.md: no such [name] (command:x)"];

/** What the editor gets where the server answers a request for preparing so. */
function prepared(answer: () => Promise<unknown>, cancelled = false): Promise<unknown> {
  const client = {
    code2ProtocolConverter: { asTextDocumentPositionParams: () => ({}) },
    protocol2CodeConverter: { asRange: (range: unknown) => range },
    sendRequest: answer,
  };
  const next = () => assert.fail("the client was asked too");
  const middleware = renaming(() => client as never).prepareRename!;
  return Promise.resolve(middleware({} as never, {} as never, { isCancellationRequested: cancelled } as never, next));
}

/** What the editor gets where the client has that edit. */
function renamed(languageId: string, next: () => Promise<unknown>): Promise<unknown> {
  const middleware = renaming(() => undefined).provideRenameEdits!;
  return Promise.resolve(middleware({ languageId } as never, {} as never, "x", { isCancellationRequested: false } as never, next as never));
}

test("a place with a name is renamed", async () => {
  const range = { start: 1, end: 2 };
  assert.deepEqual(await prepared(async () => ({ range, placeholder: "tokens" })), { range, placeholder: "tokens" });
});

test("a refusal is said, and no other provider is asked", async () => {
  // Whatever is an Error or a string makes the editor ask the next one.
  const reason = await prepared(() => Promise.reject(refusal)).then(() => assert.fail("not rejected"), (reason: unknown) => reason);
  assert.equal(reason, undefined);
  assert.deepEqual(stand.user.seen, said);
});

test("what the user gave up is not said to be refused", async () => {
  await prepared(() => Promise.reject(refusal), true).catch(() => undefined);
  assert.deepEqual(stand.user.seen, []);
});

test("a place without a name of ours is left to other providers", async () => {
  await assert.rejects(prepared(async () => null), Error);
  assert.deepEqual(stand.user.seen, []);
});

test("a refused name is said, and ends in an edit of nothing", async () => {
  assert.ok((await renamed("python", () => Promise.reject(refusal))) instanceof stand.WorkspaceEdit);
  assert.deepEqual(stand.user.seen, said);
});

test("no edit ends the matter in an entry, where others would edit plain Markdown", async () => {
  assert.ok((await renamed("markdown", async () => null)) instanceof stand.WorkspaceEdit);
  assert.equal(await renamed("python", async () => null), undefined);
});
