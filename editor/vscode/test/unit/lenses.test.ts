import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { steady } from "../../src/lenses.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

test("a lens that was clicked before the next ones came still acts", async () => {
  const lens = (n: number) => steady({ title: `${n} entries`, command: "brv.showReferences", arguments: [`file:///shop/${n}.ts`] });
  const before = lens(0);
  assert.deepEqual(lens(0), before);
  assert.equal(before.arguments, undefined);
  await stand.commands.executeCommand(before.command);
  assert.deepEqual(stand.user.seen.slice(1), ["brv.showReferences file:///shop/0.ts"]);
  for (let n = 1; n <= 500; n++) lens(n);
  assert.deepEqual([stand.registered.size, stand.registered.has(before.command)], [500, false]);
});
