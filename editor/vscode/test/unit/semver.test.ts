import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

const ours = createRequire(import.meta.url);
const client = createRequire(ours.resolve("vscode-languageclient/node"));

test("the editor's version is judged as semver judges it", () => {
  for (const name of ["parse", "satisfies"]) assert.ok(client.resolve(`semver/functions/${name}`), "the client no longer asks semver");
  const parse = [ours("../../src/semver/parse.cjs"), client("semver/functions/parse")];
  const satisfies = [ours("../../src/semver/satisfies.cjs"), client("semver/functions/satisfies")];
  for (const version of ["1.101.0", "1.101.1", "1.100.9", "1.99.0", "2.0.0", "0.101.0", "1.102.0-insider", "1.102", "code", ""]) {
    const [mine, theirs] = parse.map((of) => of(version));
    assert.equal(mine === null, theirs === null, version);
    if (mine === null) continue;
    theirs.prerelease = []; // as the client does
    for (const range of ["^1.101.0", "^1.91.5"]) {
      assert.equal(satisfies[0](mine, range), satisfies[1](`${theirs.major}.${theirs.minor}.${theirs.patch}`, range), `${version} in ${range}`);
    }
  }
});
