import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { ExtensionContext, Uri } from "vscode";
import { type Place, uriOf } from "../../src/proposed.ts";
import { ago, type Past, Reviews, type Row } from "../../src/reviews.ts";
import type { Requests } from "../../src/server.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

const item = (type: string, path: string, more = {}) => ({ operation: { type, reason: "drafted" }, held: true, path, message: "waits for a review", ...more });
const seven = {
  batch: 7, time: "2026-01-02T03:04:05Z", author: "ann", origin: { kind: "model", tool: "brv-lsp", model: "m-1", commit: "abc123" },
  items: [item("ADD", "auth/tokens/new.md", { operation: { type: "ADD", title: "New", reason: "drafted" } }), item("DELETE", "auth/old.md", { held: false })],
};
const eight = { batch: 8, time: "2026-01-02T03:04:05Z", items: [item("UPDATE", "auth/old.md")] };
const done = { batch: 9, applied: [{ path: "auth/tokens", status: "success", message: "Created [x](command:y)" }] };

type Answers = Record<string, (request: Record<string, unknown>) => unknown>;

/** A view on a server that answers by name; asked keeps what changes the tree. */
async function stub(answers: Answers = {}) {
  const asked: [string, Record<string, unknown>][] = [];
  const all: Answers = {
    "brv.reviews": () => ({ reviews: [seven, eight] }),
    "brv.proposed": ({ batch, path }) => ({ before: `old ${path}`, after: `new ${path} of ${batch}`, editable: batch === 7 }),
    "brv.approve": () => done,
    "brv.reject": () => done,
    "brv.undo": () => done,
    ...answers,
  };
  const server = {
    isRunning: true,
    async request(_: string, { command, arguments: [{ uri, ...request }] }: { command: string; arguments: [Record<string, unknown>] }) {
      assert.equal(uri, "file:///shop");
      if (command !== "brv.reviews") asked.push([command, request]);
      return all[command]?.(request);
    },
  } as unknown as Requests;
  let waiting = { pending: 0, unreviewed: 0 };
  const reviews = new Reviews({ subscriptions: [] } as unknown as ExtensionContext, server, (counts) => (waiting = counts));
  await reviews.refresh();
  const [first, second] = reviews.getChildren() as [Row, Row];
  const [added, deleted] = first?.review === undefined ? ([] as unknown as [Row, Row]) : (reviews.getChildren(first) as [Row, Row]);
  stand.user.seen.length = 0;
  return { reviews, asked, first, second, added, deleted, waiting: () => waiting };
}

const shop = () => stand.workspace.workspaceFolders[0] as unknown as Place["folder"];
const draftOf = (path: string): Uri => uriOf({ folder: shop(), batch: 7, path }, "draft");

/** Puts a draft into an editor, with some text. */
function typed(uri: Uri, text: string) {
  const document = { uri: uri as unknown as stand.Uri, isDirty: true, getText: () => text, save: async () => !(document.isDirty = false) };
  stand.workspace.textDocuments.push(document);
  const diff = new stand.TabInputTextDiff(document.uri, document.uri);
  stand.window.tabGroups.all = [{ tabs: [{ input: diff }, { input: {} }] }];
  return document;
}

test("batches are listed with who proposed them, and their operations", async () => {
  const { reviews, first, second, added, deleted, waiting } = await stub();
  assert.deepEqual(waiting(), { pending: 2, unreviewed: 1 });
  const batch = reviews.getTreeItem(first);
  assert.equal(batch.label, "Add New and 1 more");
  assert.match(String(batch.description), /^drafted · ann · brv-lsp · m-1 · abc123 · \d+ days ago$/);
  assert.match(String(batch.tooltip), /^Add New and 1 more\ndrafted\nProposed .* by ann, brv-lsp, m-1, abc123$/);
  assert.equal(reviews.getTreeItem(second).label, "Change old", "a batch of one is its operation");
  assert.match(String(reviews.getTreeItem(second).description), /^drafted · \d+ days ago$/);
  assert.deepEqual([added, deleted].map((row) => reviews.getTreeItem(row)).map(({ label, description, contextValue }) => [label, description, contextValue]), [
    ["New", "add · auth/tokens/new.md", "operation.text"],
    ["old", "done already · delete · auth/old.md", "operation"],
  ]);
  assert.match(String(reviews.getTreeItem(added).tooltip), /^auth\/tokens\/new\.md\ndrafted\nwaits for a review\nProposed [^\n]*$/);
  added.item!.blocked = "auth/tokens/new.md is there already";
  const blocked = reviews.getTreeItem(added);
  assert.equal(blocked.description, "cannot be approved · add · auth/tokens/new.md");
  assert.match(String(blocked.tooltip), /You cannot approve it now: auth\/tokens\/new\.md is there already$/m);
  assert.equal((blocked.iconPath as { id: string }).id, "warning");
  assert.equal(reviews.getParent(added)?.review, first.review);
  const ids = [first, second, added, deleted].map((row) => reviews.getTreeItem(row).id);
  assert.equal(new Set(ids).size, 4);
  await reviews.refresh();
  const texts = stand.user.seen.filter((seen) => seen.startsWith("setContext brv.review.texts "));
  assert.match(texts[0] ?? "", /^\S+ \S+ brv-review:\/7\/after\/auth\/tokens\/new\.md\.brv-review\S+,brv-review:\/8\/after\/auth\/old\.md\.brv-review[^,]+$/, "whose diff offers editing");
});

test("an operation is shown as the difference of the present and the proposed text", async () => {
  const { reviews, added } = await stub();
  await reviews.show(added);
  assert.equal(stand.user.seen.at(-1),
    "vscode.diff brv-review:/7/before/auth/tokens/new.md.brv-review?file%3A%2F%2F%2Fshop brv-review:/7/after/auth/tokens/new.md.brv-review?file%3A%2F%2F%2Fshop new.md (proposed: add) [object Object]");
  assert.equal(stand.user.kept, true, "the keys stay in the list");
});

test("a batch and an operation are approved", async () => {
  const { reviews, asked, first, deleted } = await stub();
  await reviews.approve(first);
  await reviews.approve(deleted);
  await reviews.approve(uriOf({ folder: shop(), batch: 8, path: "auth/old.md" }, "after"));
  assert.deepEqual(asked, [
    ["brv.approve", { batch: 7 }],
    ["brv.approve", { batch: 7, paths: ["auth/old.md"] }],
    ["brv.approve", { batch: 8, paths: ["auth/old.md"] }],
  ]);
  assert.ok(stand.user.seen.includes("info: brv: Created [x] (command:y)"));
});

test("what was done can be undone at once", async () => {
  const { reviews, asked, second } = await stub();
  stand.user.answers = ["Undo"];
  await reviews.approve(second);
  await new Promise(setImmediate);
  assert.deepEqual(asked.at(-1), ["brv.undo", { batch: 9 }]);
});

test("rejecting asks why, and can be left", async () => {
  const { reviews, asked, first, added } = await stub();
  stand.user.answers = ["wrong ", "", undefined];
  await reviews.reject(added);
  await reviews.reject(first);
  await reviews.reject(first);
  await reviews.reject(first, { reason: "stale" });
  assert.deepEqual(asked.filter(([command]) => command === "brv.reject"), [
    ["brv.reject", { batch: 7, paths: ["auth/tokens/new.md"], reason: "wrong" }],
    ["brv.reject", { batch: 7 }],
    ["brv.reject", { batch: 7, reason: "stale" }],
  ]);
  assert.deepEqual(stand.user.seen.filter((seen) => seen.startsWith("info")), [], "there is nothing to undo");
  assert.deepEqual(stand.user.seen.filter((seen) => seen.startsWith("input")), ["input: Reject “new”", "input: Reject the whole batch", "input: Reject the whole batch"]);
});

test("an edited draft is approved with its text, and its editor closes", async () => {
  const { reviews, asked, added } = await stub();
  await reviews.edit(added);
  const uri = draftOf("auth/tokens/new.md");
  assert.match(stand.user.seen.at(-1) ?? "", /^vscode\.diff brv-review:\/7\/before\/\S+ brv-draft:\/7\/draft\/auth\/tokens\/new\.md\.brv-review\?\S+ new\.md \(your draft, not approved\)/);
  const document = typed(uri, "mine");
  await reviews.approveDraft(uri);
  const path = "auth/tokens/new.md";
  assert.deepEqual(asked.at(-1), ["brv.approve", { batch: 7, paths: [path], texts: { [path]: "mine" } }]);
  assert.equal(document.isDirty, false, "the editor would ask whether to save it");
  assert.ok(stand.user.seen.includes("closed 1"));
});

test("an operation without a text is not edited", async () => {
  const { reviews, second } = await stub();
  await reviews.edit(second);
  assert.equal(stand.user.seen.at(-1), "info: brv: auth/old.md: this operation has no text to edit.");
});

test("changes in a draft are not passed over when the proposal is approved as it was", async () => {
  const { reviews, asked, first, added } = await stub();
  await reviews.edit(added);
  const approvals = () => asked.filter(([command]) => command === "brv.approve").length;
  typed(draftOf("auth/tokens/new.md"), "mine");
  stand.user.answers = [undefined, "Open the draft", "Approve as proposed"];
  await reviews.approve(first);
  await reviews.approve(added);
  assert.equal(approvals(), 0);
  assert.match(stand.user.seen.at(-1) ?? "", /^vscode\.diff .*your draft/);
  await reviews.approve(first);
  assert.equal(approvals(), 1);
});

test("a draft that was approved is in nobody's way", async () => {
  let left = [seven, eight];
  const { reviews, asked, first, added } = await stub({ "brv.reviews": () => ({ reviews: left }) });
  await reviews.edit(added);
  typed(draftOf("auth/tokens/new.md"), "mine");
  left = [{ ...seven, items: seven.items.slice(1) }];
  await reviews.approveDraft(draftOf("auth/tokens/new.md"));
  await reviews.approve(first);
  assert.deepEqual(asked.at(-1), ["brv.approve", { batch: 7 }]);
});

test("what fails goes on waiting and is said, as text", async () => {
  const applied = [{ path: "auth/tokens", status: "failed", message: "[x](command:y) changed since" }];
  const { reviews, first } = await stub({ "brv.approve": () => ({ applied }) });
  typed(draftOf("auth/tokens/new.md"), "new auth/tokens/new.md of 7");
  await reviews.approve(first);
  assert.deepEqual(stand.user.seen.filter((seen) => seen.startsWith("warning")), [
    "warning: brv: not done, still waiting: auth/tokens: [x] (command:y) changed since",
  ]);
  assert.ok(!stand.user.seen.some((seen) => seen.startsWith("closed")));
});

test("a workspace that is not trusted shows and decides nothing", async () => {
  const { reviews, asked, first, added } = await stub();
  stand.workspace.isTrusted = false;
  stand.user.answers = ["wrong"];
  await reviews.approve(first);
  await reviews.reject(first);
  await reviews.edit(added);
  await reviews.approveDraft(draftOf("auth/tokens/new.md"));
  assert.deepEqual(asked, []);
  await reviews.show(added);
  assert.match(stand.user.seen.at(-1) ?? "", /^vscode\.diff/);
});

test("a batch is opened at its first operation", async () => {
  const { reviews } = await stub();
  await reviews.open(shop(), 8);
  assert.equal(stand.user.seen.find((seen) => seen.startsWith("reveal")), "reveal auth/old.md");
  assert.match(stand.user.seen.at(-1) ?? "", /^vscode\.diff brv-review:\/8\//);
});

test("the view is there where there is a context tree; why it cannot be read stands in it", async () => {
  const broken = { "brv.reviews": () => Promise.reject(new Error("000007.json: [x](command:y)")) };
  const { reviews } = await stub(broken);
  await reviews.refresh();
  assert.deepEqual(stand.user.seen, ["setContext brv.review.texts ", "setContext brv.hasTree true"]);
  assert.equal(stand.views.at(-1)?.message, "shop: 000007.json: [x] (command:y)");
  stand.user.missing = ["/shop/.brv/context-tree"];
  await reviews.refresh();
  assert.equal(stand.user.seen.at(-1), "setContext brv.hasTree false");
  assert.equal(stand.views.at(-1)?.message, "");
});

test("how long ago something was is said in its largest unit", () => {
  const at = (seconds: number) => ago(new Date(0).toISOString(), seconds * 1000);
  assert.deepEqual([at(20), at(60), at(3540), at(7200), at(47 * 3600), at(72 * 3600)], ["just now", "1 minute ago", "59 minutes ago", "2 hours ago", "47 hours ago", "3 days ago"]);
});

test("the past is listed where it is opened, and a change of it is taken back", async () => {
  const changes = [{ id: 4, time: new Date().toISOString(), action: "approve", author: "ann", files: ["_manifest.json", "a/b/_index.md", "a/b/c_d.md", "a/b/context.md"], undoable: true }, { id: 3, time: new Date().toISOString(), action: "undo", files: ["a/b/context.md"], reasons: Array(30).fill("").map((_, n) => `note ${n}\nof many`) }, { id: 2, time: new Date().toISOString(), action: "apply", files: [], about: ["a/b/c_d.md"] }];
  const { reviews, asked } = await stub({ "brv.log": () => ({ changes }) });
  const history = reviews.getChildren().at(-1)!;
  assert.equal(reviews.getTreeItem(history).label, "History");
  const [approved, undone, held] = (await reviews.getChildren(history as Row)) as unknown as Past[];
  assert.deepEqual([approved, undone].map((row) => reviews.getTreeItem(row!)).map(({ label, contextValue }) => [label, contextValue]), [["Approved c d", "past.undoable"], ["Took back context", "past"]]);
  assert.equal(reviews.getTreeItem(held!).label, "Proposed c d");
  const archiving = { ...held!, change: { ...held!.change!, files: ["_archived/a/b/c_d.full.md", "_archived/a/b/c_d.stub.md", "a/b/c_d.md"] } };
  assert.equal(reviews.getTreeItem(archiving).label, "Archived c d");
  const [first, ...others] = String(reviews.getTreeItem(undone!).tooltip).split("\n");
  assert.deepEqual([first, others.length, others.at(-2)], ["note 0", 5, "… and 27 more"]);
  await Promise.all([reviews.undo(approved), reviews.undo(approved)]); // a double click
  assert.deepEqual(asked.slice(-2), [["brv.undo", { batch: 4 }], ["brv.log", { limit: 30 }]], "and is listed anew");
});

test("what did not change is not drawn anew", async () => {
  let left = [seven, eight];
  let changes = [{ id: 4, time: new Date().toISOString(), action: "approve", files: ["a/b.md"] }];
  const { reviews } = await stub({ "brv.reviews": () => ({ reviews: structuredClone(left) }), "brv.log": () => ({ changes }) });
  let drawn = 0;
  reviews.onDidChangeTreeData(() => drawn++);
  await reviews.refresh();
  assert.equal(drawn, 0);
  left = [eight];
  await reviews.refresh();
  assert.equal(drawn, 1);
  await reviews.getChildren(reviews.getChildren().at(-1)!);
  await reviews.refresh();
  assert.equal(drawn, 1, "also where the history is open");
  changes = [{ ...changes[0]!, id: 5 }, ...changes];
  await reviews.refresh();
  assert.equal(drawn, 2);
  const past = (await reviews.getChildren(reviews.getChildren().at(-1)!)) as unknown as Past[];
  assert.deepEqual(past.map(({ change }) => change?.id), [5, 4]);
  await reviews.refresh();
  assert.equal(drawn, 2);
});

test("of many operations each folder has a row, by which they are decided", async () => {
  const items = [..."abcdefghijkl"].map((name, n) => item("ADD", `notes/${n % 2 === 0 ? "infra" : "daily"}/${name}.md`));
  let left = items;
  const { reviews, asked } = await stub({ "brv.reviews": () => ({ reviews: [{ ...eight, items: left }] }) });
  const [batch] = reviews.getChildren() as [Row];
  const folders = reviews.getChildren(batch);
  assert.deepEqual(folders.map((row) => reviews.getTreeItem(row)).map(({ label, description, contextValue }) => [label, description, contextValue]),
    [["notes/daily", "6", "group"], ["notes/infra", "6", "group"]]);
  const [first, second] = reviews.getChildren(folders[1]!) as [Row, Row];
  assert.equal(first.item?.path, "notes/infra/a.md");
  assert.equal(reviews.getParent(first)?.group, "notes/infra");
  assert.equal(reviews.getTreeItem(first).description, "add · a.md", "the row above says the folder");
  assert.equal(reviews.getParent(folders[1]!)?.review.batch, 8);
  await reviews.approve(folders[1]!);
  await reviews.each([folders[1]!, second], (row) => reviews.approve(row));
  await reviews.each([folders[1]!, folders[0]!, batch], (row) => reviews.approve(row));
  assert.deepEqual(asked.map(([, { paths }]) => (paths as string[]).length), [6, 1, 12]);
  left = items.slice(4);
  await reviews.open(shop(), 8);
  assert.equal(stand.user.seen.find((seen) => seen.startsWith("reveal")), "reveal notes/daily/f.md");
  const [shorter] = reviews.getChildren() as [Row];
  assert.deepEqual(reviews.getChildren(shorter).map(({ group }) => group), ["notes/daily", "notes/infra"], "they stay while it becomes shorter");
});

test("by keys what comes next is chosen then, unless nothing was decided", async () => {
  const items = ["a", "b", "c"].map((name) => item("ADD", `notes/daily/${name}.md`));
  let left = items;
  const { reviews, first } = await stub({ "brv.reviews": () => ({ reviews: [{ ...eight, items: left }] }) });
  const chosen = (row: Row) => ((stand.views.at(-1) as unknown as { selection: Row[] }).selection = [row]);
  const [, b, c] = reviews.getChildren(first) as [Row, Row, Row];
  const revealed = () => stand.user.seen.filter((seen) => seen.startsWith("reveal"));
  chosen(b);
  await reviews.decideSelected(async () => undefined);
  assert.deepEqual(revealed(), []);
  await reviews.decideSelected(() => ((left = [items[0]!, items[2]!]), reviews.refresh()));
  assert.deepEqual(revealed(), ["reveal notes/daily/c.md"]);
  chosen(c);
  await reviews.decideSelected(() => ((left = [items[0]!]), reviews.refresh()));
  assert.deepEqual(revealed().at(-1), "reveal notes/daily/a.md");
});

test("a key acts on the selected row also while the view is drawn anew, and never on a row that is decided", async () => {
  let left = ["a", "b"].map((name) => item("ADD", `notes/daily/${name}.md`));
  const { reviews, first } = await stub({ "brv.reviews": () => ({ reviews: [{ ...eight, items: left }] }) });
  const { selects } = stand.views.at(-1) as unknown as { selects: (event: { selection: Row[] }) => void };
  const [a] = reviews.getChildren(first) as [Row];
  selects({ selection: [a] });
  const decided: (string | undefined)[] = [];
  const decide = async (row: Row) => void decided.push(row.item?.path);
  await reviews.decideSelected(decide);
  left = left.slice(1);
  await reviews.refresh();
  await reviews.decideSelected(decide);
  assert.deepEqual(decided, ["notes/daily/a.md"]);
});

test("several are decided at once: of a batch its rows that are chosen too, and why is asked once", async () => {
  const { reviews, asked, first, second, added } = await stub({ "brv.reject": () => ({ batch: 9, applied: [] }) });
  stand.user.answers = ["not now"];
  await reviews.each([added, first, second], (row) => reviews.reject(row));
  assert.deepEqual(asked.map(([command, { batch, reason }]) => [command, batch, reason]), [["brv.reject", 7, "not now"], ["brv.reject", 8, "not now"]]);
});

test("several of a batch are one decision, which one undo takes back", async () => {
  const { reviews, asked, first, added, deleted, second } = await stub();
  await reviews.each([added, second, deleted], (row) => reviews.approve(row));
  await reviews.each([first, added], (row) => reviews.approve(row));
  assert.deepEqual(asked, [
    ["brv.approve", { batch: 7, paths: ["auth/tokens/new.md", "auth/old.md"] }],
    ["brv.approve", { batch: 8, paths: ["auth/old.md"] }],
    ["brv.approve", { batch: 7, paths: ["auth/tokens/new.md"] }],
  ]);
});

test("who is left keeps its row's name when another of the batch is decided, and so is not selected in its place", async () => {
  const { reviews, first, deleted } = await stub();
  const { id } = reviews.getTreeItem(deleted);
  const left = { ...first.review, items: first.review.items.slice(1) };
  assert.equal(reviews.getTreeItem({ ...deleted, review: left }).id, id);
});
