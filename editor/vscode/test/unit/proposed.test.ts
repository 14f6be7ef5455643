import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Uri } from "vscode";
import { Drafts, type Place, placeOf, Texts, uriOf } from "../../src/proposed.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

const place = (path = "auth/a.md", batch = 7): Place => ({ folder: stand.workspace.workspaceFolders[0] as unknown as Place["folder"], batch, path });

/** Opens a document in the editor. */
function open(uri: Uri, text = ""): void {
  stand.workspace.textDocuments.push({ uri: uri as unknown as stand.Uri, isDirty: false, getText: () => text, save: async () => true });
}

test("an address leads back to its place, and others to none", () => {
  for (const side of ["before", "after", "draft"] as const) {
    const uri = stand.Uri.parse(uriOf(place("auth/ä b?#.md"), side).toString()) as unknown as Uri;
    if (side !== "draft") assert.equal(uri.scheme, "brv-review");
    assert.deepEqual(placeOf(uriOf(place("auth/ä b.md"), side)), place("auth/ä b.md"));
  }
  const there = uriOf(place(), "after") as unknown as stand.Uri;
  for (const other of [{ ...there, scheme: "file" }, { ...there, query: "file:///other" }, { ...there, path: "/7/other/a.md.brv-review" }, { ...there, path: "/7/after/a.md" }]) {
    assert.equal(placeOf(other as unknown as Uri), undefined);
  }
});

test("both sides are fetched at once, and again when they are refreshed", async () => {
  let fetched = 0;
  const texts = new Texts(async ({ path }) => ({ before: `old ${path}`, after: `new ${path} ${++fetched}`, editable: true }));
  const [before, after] = [uriOf(place(), "before"), uriOf(place(), "after")];
  const shown = await Promise.all([before, after].map((uri) => texts.provideTextDocumentContent(uri)));
  assert.deepEqual(shown, ["old auth/a.md", "new auth/a.md 1"]);
  open(before);
  open(after);
  const told: string[] = [];
  texts.onDidChange((uri) => told.push(uri.toString()));
  texts.refresh(() => true);
  assert.deepEqual(told, [before.toString(), after.toString()]);
  assert.equal(await texts.provideTextDocumentContent(after), "new auth/a.md 2");
});

test("a new entry is read with its text first", async () => {
  const shown = (after: string) => new Texts(async () => ({ before: "", after, editable: true })).provideTextDocumentContent(uriOf(place(), "after"));
  assert.equal(await shown("---\ntitle: A\n---\n## Rules\n- One\n---\n- Two\n"), "## Rules\n- One\n---\n- Two\n\n---\ntitle: A\n---\n");
  assert.equal(await shown("No frontmatter\n"), "No frontmatter\n");
});

test("what was decided stays as it was while it is open", async () => {
  let fetched = 0;
  const texts = new Texts(async () => ({ before: "", after: `${++fetched}`, editable: true }));
  const after = uriOf(place(), "after");
  await texts.provideTextDocumentContent(after);
  open(after);
  texts.refresh(() => false);
  assert.equal(await texts.provideTextDocumentContent(after), "1");
  stand.workspace.textDocuments = [];
  texts.refresh(() => false);
  assert.equal(await texts.provideTextDocumentContent(after), "2");
});

test("a failure is not remembered", async () => {
  let fails = true;
  const texts = new Texts(async () => (fails ? Promise.reject(new Error("gone")) : { before: "", after: "there", editable: true }));
  await assert.rejects(texts.get(place()), /gone/);
  fails = false;
  assert.equal((await texts.get(place())).after, "there");
});

test("a draft begins with what is proposed, and keeps what is saved", () => {
  const drafts = new Drafts();
  const uri = uriOf(place(), "draft");
  assert.throws(() => drafts.readFile(uri), /draft no longer exists/);
  drafts.begin(uri, "proposed");
  assert.equal(Buffer.from(drafts.readFile(uri)).toString(), "proposed");
  assert.deepEqual(drafts.changed(), []);
  const { mtime } = drafts.stat(uri);
  drafts.writeFile(uri, Buffer.from("mine ä"));
  drafts.begin(uri, "proposed anew");
  assert.equal(Buffer.from(drafts.readFile(uri)).toString(), "mine ä");
  assert.ok(drafts.stat(uri).mtime > mtime);
  assert.equal(drafts.stat(uri).size, 7);
  assert.deepEqual(drafts.changed(), [place()]);
  drafts.end(() => true);
  assert.throws(() => drafts.stat(uri), /draft no longer exists/);
});

test("a draft that is changed and not saved counts as changed", () => {
  const drafts = new Drafts();
  drafts.begin(uriOf(place(), "draft"), "proposed");
  open(uriOf(place(), "draft"), "typed");
  assert.deepEqual(drafts.changed(), [place()]);
});
