import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { type Dream, dream, undoDream } from "../../src/dream.ts";
import type { Requests } from "../../src/server.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

const done: Dream = {
  id: "drm-1795375483116", status: "completed", operations: [],
  summary: { consolidated: 3, synthesized: 0, pruned: 1, flaggedForReview: 2 },
};

/** A server that answers in order; asked keeps the requests. */
function stub(...answers: (Dream | Error)[]) {
  const asked: unknown[] = [];
  const server = {
    async requestOfModel(method: string, params: { command: string; arguments: [object] }) {
      assert.equal(method, "workspace/executeCommand");
      asked.push([params.command, params.arguments[0]]);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { server: server as unknown as Requests, asked };
}

const uri = "file:///shop";

/** Where rendered texts are shown. */
const views = { showRendered: async (name: string, text: string) => void stand.user.seen.push(`${name}: ${text}`) };

test("what a dream did is told, and leads to the reviews", async () => {
  const { server, asked } = stub(done);
  stand.user.answers = ["Show reviews"];
  assert.equal(await dream(server, views), done);
  await new Promise(setImmediate);
  assert.deepEqual(asked, [["brv.dream", { uri }]]);
  assert.deepEqual(stand.user.seen, [
    "progress: brv: Dreaming",
    "info: brv: Dream completed: 3 merged or linked, 1 to archive. 2 operations wait for a review.",
    "brv.reviewQueue.focus",
  ]);
});

test("a dream that did nothing says so, and its notes are a page", async () => {
  const none = { consolidated: 0, synthesized: 0, pruned: 0, flaggedForReview: 0 };
  const { server } = stub({ status: "completed", summary: none, notes: ["the model *was* no help"] }, { status: "error", summary: none, notes: ["ended early: cancelled"] });
  stand.user.answers = ["Show notes"];
  await dream(server, views);
  await dream(server, views);
  await new Promise(setImmediate);
  assert.deepEqual(stand.user.seen.filter((seen) => !seen.startsWith("progress")), [
    "info: brv: Dream completed: nothing to merge, link or archive.",
    "Dream: # Dream completed\n\n- the model \\*was\\* no help\n",
    "info: brv: Dream error: ended early: cancelled.",
  ]);
});

test("a dream that was skipped says why, and may be forced but for the lock", async () => {
  const { server, asked } = stub({ skipped: { gate: "time", reason: "The last dream was 2.5 hours ago (at least 12 must pass)" } }, { skipped: { gate: "lock", reason: "Another dream is running" } });
  stand.user.answers = ["Dream anyway", "Dream anyway"];
  await dream(server, views);
  assert.deepEqual(asked, [["brv.dream", { uri }], ["brv.dream", { force: true, uri }]]);
  const dreaming = "progress: brv: Dreaming";
  const said = ["info: brv: Dream skipped: The last dream was 2.5 hours ago (at least 12 must pass).", "info: brv: Dream skipped: Another dream is running."];
  assert.deepEqual(stand.user.seen, [dreaming, said[0], dreaming, said[1]]);
});

test("what stays of a dream that is taken back is named", async () => {
  const stays = [{ change: 7, why: "changed since: net/calls.md" }];
  const { server } = stub({ ...done, status: "undone", operations: [{ reason: "r", stays }], summary: { consolidated: 1, synthesized: 0, pruned: 0, flaggedForReview: 0, stays: 1 } });
  stand.user.answers = ["Undo it"];
  await undoDream(server);
  assert.match(stand.user.seen.at(-1) ?? "", /^warning: brv: The dream of .*2026.* was undone, but change 7 stays: changed since: net\/calls\.md\. To undo that too, restore the text that the dream wrote, and run “brv: Undo last dream” again\.$/);
});

test("the last dream is taken back after a question", async () => {
  const { server, asked } = stub(done, new Error("there is no dream to undo"));
  stand.user.answers = [undefined, "Undo it", "Undo it"];
  for (let i = 0; i < 3; i++) await undoDream(server);
  assert.deepEqual(asked, [["brv.dreamUndo", { uri }], ["brv.dreamUndo", { uri }]]);
  const [, , said, , failed] = stand.user.seen.filter((seen) => !seen.startsWith("progress"));
  assert.match(said ?? "", /^info: brv: The dream of .*2026.* was undone\.$/);
  assert.equal(failed, "error: brv: there is no dream to undo");
});

test("of several folders one is asked for once, and named before its dream is taken back", async () => {
  stand.workspace.workspaceFolders = ["shop", "bank"].map((name, index) => ({ uri: stand.Uri.file(`/${name}`), name, index }));
  const bank = stand.workspace.workspaceFolders[1];
  const { server, asked } = stub({ skipped: { gate: "time", reason: "The last dream was 2 hours ago" } }, done, done);
  stand.user.answers = [bank, "Dream anyway", undefined, bank, "Undo it"];
  await dream(server, views);
  await undoDream(server);
  assert.deepEqual(asked.map((one) => (one as [string, { uri: string }])[1].uri), ["file:///bank", "file:///bank", "file:///bank"]);
  assert.ok(stand.user.seen.includes("warning: brv: bank: Undo the last dream? Its approved changes are undone too."));
});
