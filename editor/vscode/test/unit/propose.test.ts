import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Uri } from "vscode";
import { type Proposal, proposeChanges, proposeFile } from "../../src/propose.ts";
import type { Reviews } from "../../src/reviews.ts";
import type { Requests } from "../../src/server.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

const held: Proposal = {
  operations: [{ type: "ADD", path: "auth/tokens" }],
  report: { batch: 7, applied: [{ status: "pending", path: "auth/tokens", message: "waits for a review" }], summary: { pending: 1 } },
};

/** A server that answers brv.propose, and the view that opens reviews; asked keeps the requests. */
function stub(answer: Proposal | Error = held, hasModel = false) {
  const asked: Record<string, unknown>[] = [];
  const server = {
    hasModel,
    isRunning: true,
    request: () => assert.fail("a proposal may ask a model"),
    async requestOfModel(method: string, params: { command: string; arguments: [Record<string, unknown>] }) {
      assert.equal(method, "workspace/executeCommand");
      assert.equal(params.command, "brv.propose");
      asked.push(params.arguments[0]);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as unknown as Requests;
  const reviews = { open: async (folder: { name: string }, batch: number) => void stand.user.seen.push(`open ${folder.name} ${batch}`) };
  return { server, reviews: reviews as unknown as Reviews, asked };
}

const file = (path: string) => stand.Uri.file(path) as unknown as Uri;

test("a file of the explorer, or the one in front, is drafted from, and the review opens", async () => {
  const { server, reviews, asked } = stub();
  await proposeFile(server, reviews, file("/shop/docs/a b.md"));
  stand.window.activeTextEditor = { document: { uri: stand.Uri.file("/shop/src/x.ts") } };
  await proposeFile(server, reviews);
  const uri = "file:///shop";
  assert.deepEqual(asked, [{ files: ["docs/a b.md"], uri }, { files: ["src/x.ts"], uri }]);
  assert.deepEqual(stand.user.seen.slice(0, 2), ["progress: brv: Drafting knowledge", "open shop 7"]);
});

test("several chosen files go together, a folder alone", async () => {
  const { server, reviews, asked } = stub();
  const five = ["a", "b", "c", "d", "e"].map((name) => file(`/shop/${name}`));
  await proposeFile(server, reviews, five[0], five);
  stand.user.folders = ["/shop/src", "/shop"];
  await proposeFile(server, reviews, file("/shop/src"), [file("/shop/src")]);
  await proposeFile(server, reviews, file("/shop"));
  assert.deepEqual(asked.map(({ files, folder }) => files ?? folder), [["a", "b", "c", "d", "e"], "src", "."]);
});

test("what cannot be drafted from is not asked for", async () => {
  const { server, reviews, asked } = stub();
  stand.user.folders = ["/shop/src"];
  await proposeFile(server, reviews);
  await proposeFile(server, reviews, file("/elsewhere/x"));
  await proposeFile(server, reviews, file("/shop/a"), [file("/shop/a"), file("/elsewhere/x")]);
  await proposeFile(server, reviews, file("/shop/a"), [file("/shop/a"), file("/shop/src")]);
  await proposeFile(server, reviews, file("/shop/0"), Array.from({ length: 6 }, (_, i) => file(`/shop/${i}`)));
  assert.equal(asked.length, 0);
  assert.equal(stand.user.seen.filter((seen) => seen.startsWith("info: brv: ")).length, 5);
});

test("changes are those that the user chooses", async () => {
  const { server, reviews, asked } = stub();
  stand.user.answers = ["Changes in the work tree", "Staged changes", "A commit…", " v1.2^ ", undefined, "A commit…", undefined];
  for (let i = 0; i < 5; i++) await proposeChanges(server, reviews);
  assert.deepEqual(asked.map(({ changes }) => changes), ["worktree", "staged", "v1.2^"]);
  stand.user.answers = ["A commit…", "--output=x"];
  await assert.rejects(proposeChanges(server, reviews), /refused/);
});

test("a draft whose topic is not clear goes where the user says, and nowhere without", async () => {
  const choices = [{ topic: "auth/tokens", reason: "it speaks of tokens" }, { topic: "project/sign", new: true, reason: "a new topic" }];
  const open: Proposal = { operations: [], report: { applied: [], summary: { pending: 0 } }, undecided: [{ source: "commit 1", title: "Sign", choices }] };
  for (const [answers, topic] of [[["project/sign"], "project/sign"], [["Another topic…", "a/b "], "a/b"], [["Another topic…", undefined], undefined], [[undefined], undefined]] as const) {
    stand.reset();
    const { server, reviews, asked } = stub(open);
    const first = server.requestOfModel.bind(server);
    server.requestOfModel = (async (...args: Parameters<typeof first>) => ((await first(...args)), asked.length > 1 ? held : open)) as typeof first;
    stand.user.answers = [...answers];
    await proposeChanges(server, reviews, { changes: "staged" });
    assert.deepEqual(asked.map(({ topic }) => topic), topic === undefined ? [undefined] : [undefined, topic]);
    assert.equal(stand.user.seen.includes("open shop 7"), topic !== undefined);
    assert.ok(stand.user.seen.includes("list: Where does “Sign” belong?"));
  }
});

test("git is not read where the workspace is not trusted", async () => {
  const { server, reviews, asked } = stub();
  stand.workspace.isTrusted = false;
  await proposeChanges(server, reviews, { changes: "staged" });
  assert.equal(asked.length, 0);
});

test("a model drafts at once, and can be told then what else to look for", async () => {
  const { server, reviews, asked } = stub(held, true);
  const again = "Look for something else…";
  for (const answers of [[again, "the limits "], [again, ""], [again, undefined], [undefined]]) {
    stand.user.answers = answers;
    await proposeChanges(server, reviews, { changes: "staged" });
    await new Promise(setImmediate);
  }
  assert.deepEqual(asked.map(({ instruction }) => instruction), [undefined, "the limits", undefined, undefined, undefined]);
  assert.deepEqual(stand.user.seen.slice(0, 3), ["progress: brv: Drafting knowledge", "open shop 7", "info: brv: 1 draft waits for a review."]);
});

test("notes and failures are shown, as text", async () => {
  const notes = ["read only the first 40 KB of a.md", "[free](command:workbench.action.quit)"];
  const failed = { status: "failed", path: "auth", message: "there is such an entry" };
  const { server, reviews } = stub({ ...held, notes, report: { ...held.report, applied: [...held.report.applied, failed] } });
  await proposeFile(server, reviews, file("/shop/a.md"));
  assert.equal(stand.user.seen.at(-1), `info: brv: ${notes[0]} • [free] (command:workbench.action.quit) • auth: there is such an entry`);
});

test("nothing to propose opens nothing", async () => {
  for (const report of [{ applied: [], summary: { pending: 0 } }, { batch: 7, applied: [], summary: { pending: 0 } }]) {
    stand.reset();
    const { server, reviews } = stub({ operations: [], report });
    stand.user.answers = ["Write it down"];
    await proposeFile(server, reviews, file("/shop/a.md"));
    assert.deepEqual(stand.user.seen.slice(1), ["info: brv: nothing to propose.", "brv.writeDown"]);
  }
});

test("an error is shown as text, and a cancelled draft says nothing", async () => {
  const { server, reviews } = stub(new Error("[x](command:y): no such file"));
  await proposeFile(server, reviews, file("/shop/a.md"));
  assert.equal(stand.user.seen.at(-1), "error: brv: [x] (command:y): no such file");
  const cancelled = { ...server, requestOfModel: async () => (stand.user.cancel?.(), Promise.reject(new Error("cancelled"))) };
  assert.equal(await proposeFile(cancelled as unknown as Requests, reviews, file("/shop/a.md")), undefined);
  assert.equal(stand.user.seen.at(-1), "progress: brv: Drafting knowledge");
});

test("where no folder is open it is said, with the way to one; of several it is asked which", async () => {
  const { server, reviews, asked } = stub();
  const [shop] = stand.workspace.workspaceFolders;
  stand.workspace.workspaceFolders = [];
  stand.user.answers = ["Open a folder"];
  await proposeChanges(server, reviews, { changes: "staged" });
  await new Promise(setImmediate);
  assert.deepEqual(stand.user.seen, ["info: brv: Propose knowledge from the changes: open a folder first.", "vscode.openFolder"]);
  stand.workspace.workspaceFolders = [shop!, { uri: stand.Uri.file("/bank"), name: "bank", index: 1 }];
  stand.user.answers = [stand.workspace.workspaceFolders[1]];
  await proposeChanges(server, reviews, { changes: "staged" });
  assert.deepEqual(asked, [{ changes: "staged", uri: "file:///bank" }]);
});
