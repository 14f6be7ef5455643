import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

const ours = createRequire(import.meta.url);
const client = createRequire(ours.resolve("vscode-languageclient/node"));

test("paths are matched as minimatch matches them", () => {
  const [mine, theirs] = [ours("../../src/minimatch.cjs"), client("minimatch")].map(({ Minimatch }) => Minimatch);
  const paths = ["/w/a.go", "/w/.brv", "/w/.brv/config.json", "/w/.brv/context-tree/a/b.md", "/w/.brv/context-tree/a/", "/w/.git/x", "/w/a b/[c].ts", ""];
  for (const pattern of ["**/*", "**/.brv/context-tree/**", "**/.brv/config.json"]) {
    for (const path of paths) {
      assert.equal(new mine(pattern).match(path), new theirs(pattern, {}).match(path), `${path} in ${pattern}`);
    }
  }
});
