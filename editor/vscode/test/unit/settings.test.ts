import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { openSettings } from "../../src/settings.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

test("settings of a machine are shown where they count", async () => {
  await openSettings("brv.model");
  stand.env.remoteName = "ssh-remote";
  await openSettings("brv.model");
  assert.deepEqual(stand.user.seen, ["workbench.action.openSettings brv.model", "workbench.action.openRemoteSettings [object Object]"]);
});
