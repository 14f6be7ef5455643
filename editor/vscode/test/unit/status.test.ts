import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { ExtensionContext } from "vscode";
import { type ServerStatus, Status } from "../../src/status.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

function running(model?: ServerStatus["model"]): Status {
  const status = new Status({ subscriptions: [] } as unknown as ExtensionContext);
  status.running(true);
  status.told(model === undefined ? {} : { model });
  return status;
}

const tip = () => stand.statusItem.tooltip.split("\n");

test("the item says which model is in use, or why none", () => {
  for (const [model, said, has] of [
    [undefined, "no model is set up", false],
    [{ provider: "off" }, "no model is set up", false],
    [{ provider: "editor" }, "model: any at editor", true],
    [{ provider: "openai", name: "m-1", origin: "http://localhost:11434" }, "model: m-1 at http://localhost:11434", true],
    [{ provider: "openai", name: "m-2", problem: "there is no key" }, "no model: there is no key", false],
  ] as const) {
    const status = running(model);
    assert.deepEqual(tip(), ["brv: the context tree is ready", said]);
    assert.equal(status.hasModel, has);
  }
});

test("the item counts what waits for a review", () => {
  const status = running();
  status.waiting({ pending: 3, unreviewed: 4 });
  assert.deepEqual(tip().slice(1, 3), ["3 waiting for a review", "4 already done, to check"]);
  assert.equal(stand.statusItem.text, "$(book) brv $(git-pull-request) 3");
  status.waiting({ pending: 0, unreviewed: 1 });
  assert.deepEqual(tip().slice(1, 2), ["1 already done, to check"]);
  assert.equal(stand.statusItem.text, "$(book) brv");
  status.waiting({ pending: 0, unreviewed: 0 });
  assert.equal(tip().length, 2);
  assert.equal(stand.statusItem.text, "$(book) brv");
});

test("the item counts entries", () => {
  for (const [indexed, said] of [[0, "the context tree is ready"], [1, "1 entry"], [2, "2 entries"]] as const) {
    running().told({ indexed });
    assert.equal(tip()[0], `brv: ${said}`);
  }
});

test("a server that starts again is not known to have a model", () => {
  const status = running({ provider: "editor" });
  status.running(false);
  status.running(true);
  assert.equal(status.hasModel, false);
});

test("the menu leads to the model's settings and to the key", async () => {
  stand.user.answers = ["$(sparkle) Set up the model", "$(key) Set the model's key"];
  await running().menu();
  await running({ provider: "openai" }).menu();
  assert.deepEqual(stand.user.seen.filter((seen) => !seen.startsWith("list")), ["brv.setUpModel", "brv.setKey"]);
});
