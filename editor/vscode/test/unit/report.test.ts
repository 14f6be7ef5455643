import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { check, showStatus } from "../../src/report.ts";
import type { Server } from "../../src/server.ts";
import type { Page, Views } from "../../src/views.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

const answering = (report: object) => ({ request: async () => report }) as unknown as Server;

test("a check is a page with a link to each place", async () => {
  const seen: string[] = [];
  let acts: (() => unknown)[] = [];
  const views = { showRendered: async (name: string, text: string, page: Page) => void (seen.push(name, text), acts = page.acts!) } as unknown as Views;
  const found = { path: "docs/a b.md", line: 3, code: "stale", message: "`src/x.ts` is gone" };
  await check(answering({ entries: 0, documents: 1, findings: [found], note: "no *git*" }), views);
  const folder = stand.workspace.workspaceFolders[0]!;
  const link = `[docs/a b.md:3](command:brv.page.link?${encodeURIComponent(JSON.stringify([`check ${folder.uri}`, 0]))})`;
  assert.deepEqual(seen, ["Check", `# Check of ${folder.name}\n\n1 finding in 1 document.\n\n> no \\*git\\*\n\n- ${link} src/x.ts is gone\n`]);
  await acts[0]!();
  assert.match(stand.user.seen.at(-1)!, /docs\/a b\.md|brv\.open/);
});

test("the status says what there is, of which folder, and whether that is trusted", async () => {
  stand.workspace.workspaceFolders = ["shop", "bank"].map((name, index) => ({ uri: stand.Uri.file(`/${name}`), name, index }));
  stand.user.answers = [stand.workspace.workspaceFolders[1]];
  const seen: string[] = [];
  const views = { showRendered: async (name: string, text: string) => void seen.push(name, text) } as unknown as Views;
  const report = { domains: 1, topics: 2, entries: 3, archived: 0, errors: 0, warnings: 0, pending: 0, leftBehind: 2, trusted: true };
  await showStatus(answering(report), views);
  assert.deepEqual(seen, [
    "bank: Context tree",
    "# Context tree\n\n| | |\n|---|---|\n| domains | 1 |\n| topics | 2 |\n| entries | 3 |\n| stale entries | 2 |\n\nThe folder is trusted.\n",
  ]);
});
