import assert from "node:assert/strict";
import { test } from "node:test";
import { staleness } from "../../src/hovering.ts";

test("what is stale is said with two links of ours, and with none of the entry's", () => {
  const evil = { uri: "file:///x", path: "a/b.md", title: "[x](command:evil) <b> https://evil.example", why: "`a](command:evil)` is **gone** [y](command:evil)", changed: true };
  const said = staleness(evil);
  assert.deepEqual(said.isTrusted, { enabledCommands: ["brv.showChanges", "brv.confirmEntry"] });
  const outside = said.value.replaceAll(/`[^`]*`/g, "");
  assert.deepEqual([...outside.matchAll(/\]\(command:([\w.]+)/g)].map(([, command]) => command), ["brv.showChanges", "brv.confirmEntry"]);
  assert.doesNotMatch(outside, /<b>|https:\/\//);
  assert.doesNotMatch(staleness({ ...evil, changed: false }).value, /still true/);
});
