import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { initTree } from "../../src/knowledge.ts";
import type { Requests } from "../../src/server.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

/** A server for a folder in which these files are missing; asked keeps which requests were dry runs. */
function stub(written: string[]) {
  const asked: boolean[] = [];
  const server = {
    async request(_method: string, params: { command: string; arguments: [{ dryRun: boolean }] }) {
      assert.equal(params.command, "brv.init");
      asked.push(params.arguments[0].dryRun);
      return { written };
    },
  };
  return { server: server as unknown as Requests, asked };
}

const files = [".brv/.gitignore", ".brv/context-tree/.gitkeep"];

test("a context tree is made once the user has said yes", async () => {
  for (const [answer, requests] of [[undefined, [true]], ["Start", [true, false]]] as const) {
    const { server, asked } = stub(files);
    stand.user.answers = [answer];
    let done = 0;
    await initTree(server, () => done++);
    assert.deepEqual([asked, done], [requests, requests.length - 1]);
    assert.ok(stand.user.seen.some((text) => text.includes("Start a context tree in")), stand.user.seen.join("\n"));
  }
});

test("where one is there already nothing is asked", async () => {
  const { server, asked } = stub([]);
  await initTree(server, () => undefined);
  assert.deepEqual(asked, [true, false]);
  assert.ok(!stand.user.seen.some((text) => text.includes("Start a context tree in")));
});
