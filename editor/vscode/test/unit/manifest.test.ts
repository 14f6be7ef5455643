import assert from "node:assert/strict";
import { test } from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { codeLanguages } from "../../src/selector.ts";

test("the extension starts for the languages that it serves", () => {
  const languages = manifest.activationEvents.flatMap((event) => event.match(/^onLanguage:(.*)/)?.[1] ?? []);
  assert.deepEqual(languages, codeLanguages);
});

test("the workspace cannot choose the server's program", () => {
  assert.equal(manifest.contributes.configuration.properties["brv.server.path"].scope, "machine");
});

test("versions are pinned exactly", () => {
  for (const [name, version] of Object.entries(manifest.devDependencies)) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name);
  }
});
