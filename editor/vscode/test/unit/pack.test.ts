import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { ExtensionContext } from "vscode";
import { PackView, type Row } from "../../src/pack.ts";
import type { Server } from "../../src/server.ts";
import type { RecentEdits } from "../../src/signals.ts";
import type { Views } from "../../src/views.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

interface Asked {
  pinned: string[];
  without: string[];
  after?: string;
}

/** A view of packs whose server answers when it is told to, the oldest request first. */
function stub(items: object[] = [], gone: string[] = []) {
  const asked: Asked[] = [];
  const waiting: (() => void)[] = [];
  const server = {
    isRunning: true,
    onDidRun: () => ({}),
    request: (_: string, params: Asked) =>
      new Promise((resolve) => {
        asked.push(params);
        waiting.push(() => resolve({ id: `${asked.indexOf(params)}`, text: "", tokens: 0, budget: 1, items, missed: [], gone }));
      }),
  } as unknown as Server;
  const extension = { subscriptions: [], storageUri: stand.Uri.file("/storage"), workspaceState: { get: () => undefined, update: async () => {} } };
  const views = { show: async () => {}, isOpen: () => false } as unknown as Views;
  const view = new PackView(extension as unknown as ExtensionContext, server, views, { list: () => [] } as unknown as RecentEdits);
  const answered = async (work: Promise<unknown>) => {
    let done = false;
    void work.then(() => (done = true));
    while (!done) {
      waiting.shift()?.();
      await new Promise(setImmediate);
    }
  };
  return { view, asked, answered };
}

const row = (path: string): Row[] => [{ item: { path }, state: "shown" } as Row];

test("what is chosen while a pack is made is chosen beside what was before", async () => {
  const { view, asked, answered } = stub();
  await answered(view.start({ task: "Rotate tokens" }));
  await answered(Promise.all([view.pin(row("auth/a.md")), view.pin(row("b.go")), view.drop(row("c.go")), view.pin(row("b.go"))]));
  assert.deepEqual(
    asked.map(({ pinned, without }) => [pinned, without]),
    [[[], []], [["auth/a.md"], []], [["auth/a.md", "b.go"], []], [["auth/a.md", "b.go"], ["c.go"]], [["auth/a.md"], ["c.go"]]],
  );
});

test("items are called as people call them, and what is gone is pinned no more", async () => {
  const item = { form: "body", lines: [1, 2], tokens: 5, reason: "r", uri: "file:///shop/a" };
  const shown = [{ ...item, kind: "entry", path: "auth/a_b.md", title: "Keys" }, { ...item, kind: "code", path: "src/a.go", symbols: ["Sign", "Check"] }, { ...item, kind: "code", path: "src/b.go" }];
  const { view, asked, answered } = stub(shown, ["gone.md"]);
  await answered(view.start({ task: "Rotate tokens" }));
  await answered(view.pin(row("gone.md")));
  await answered(view.pin(row("b.go")));
  assert.deepEqual(asked.map(({ pinned }) => pinned), [[], ["gone.md"], ["b.go"]]);
  const labels = view.getChildren().flatMap((row) => view.getChildren(row)).map((row) => view.getTreeItem(row).label);
  assert.deepEqual(labels, ["Keys", "a.go:Sign, …", "b.go"]);
});
