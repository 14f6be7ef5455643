import assert from "node:assert/strict";
import { test } from "node:test";
import { files, most, problems, RecentEdits, references, visible, within } from "../../src/signals.ts";

const uri = (path: string, scheme = "file") => ({ scheme, path, toString: () => `${scheme}://${path}` });
const at = (line: number, character = 0) => ({ line, character });
const on = (line: number) => ({ start: at(line), end: at(line, 5) });

test("open files are files, each once, without the one in front", () => {
  const open = [uri("/a"), uri("/b"), uri("/a"), uri("/c", "untitled"), uri("/d")];
  assert.deepEqual(files(open, "file:///b"), ["file:///a", "file:///d"]);
  const many = Array.from({ length: 500 }, (_, i) => uri(`/${i}`));
  assert.equal(files(many, undefined).length, most.open);
});

test("visible lines go from the first to the last range", () => {
  assert.equal(visible([]), undefined);
  assert.deepEqual(visible([{ start: at(3), end: at(9) }, { start: at(20), end: at(31, 4) }]), { start: at(3), end: at(31, 4) });
});

test("problems are errors and warnings, errors first, then the nearest", () => {
  const all = [
    { range: on(1), message: "far warning", severity: 1 },
    { range: on(50), message: "near warning", severity: 1 },
    { range: on(90), message: "error", severity: 0 },
    { range: on(50), message: "hint", severity: 3 },
  ];
  const found = problems("file:///a", all, at(48));
  assert.deepEqual(found.map(({ message, severity }) => [message, severity]), [["error", 1], ["near warning", 2], ["far warning", 2]]);
  assert.deepEqual(found[0], { uri: "file:///a", range: on(90), message: "error", severity: 1 });
  assert.equal(problems("file:///a", Array.from({ length: 500 }, () => all[0]!), at(0)).length, most.problems);
});

test("references in the context tree and in documents that are no files are left out", () => {
  const all = [uri("/w/.brv/context-tree/x.md"), uri("/w/a.ts"), uri("/b", "git")].map((uri) => ({ uri, range: on(2) }));
  assert.deepEqual(references(all), [{ uri: "file:///w/a.ts", range: on(2) }]);
  assert.equal(references(Array.from({ length: 500 }, () => all[1]!)).length, most.references);
});

test("what takes too long or fails is nothing", async () => {
  assert.equal(await within(60_000, Promise.resolve(7)), 7);
  assert.equal(await within(60_000, Promise.reject(new Error("no provider"))), undefined);
  assert.equal(await within(0, new Promise(() => {})), undefined);
});

test("edits are the last ones, and move with the lines above them", () => {
  const edits = new RecentEdits();
  edits.note("file:///a", [{ range: on(100), text: "x" }], 1000);
  edits.note("file:///a", [{ range: { start: at(20), end: at(22) }, text: "1\n2\n3\n4\n5\n" }], 2000);
  edits.note("file:///b", [{ range: on(100), text: "y" }], 3000);
  edits.note("file:///a", [{ range: on(21), text: "z" }], 4000);
  assert.deepEqual(edits.list(5000), [
    { uri: "file:///a", position: at(21), ageMs: 1000 },
    { uri: "file:///b", position: at(100), ageMs: 2000 },
    { uri: "file:///a", position: at(103), ageMs: 4000 },
  ]);
  for (let line = 0; line < 5000; line += 50) {
    edits.note("file:///c", [{ range: on(line), text: "" }], 6000);
  }
  assert.equal(edits.list(6000).length, most.edits);
});
