import assert from "node:assert/strict";
import { test } from "node:test";
import { findProgram, type Places } from "../../src/program.ts";

const bundled = "/extension/bin/brv-lsp";

function places(there: string[], configured = ""): Places {
  return {
    configured,
    extensionDir: "/extension",
    platform: "linux",
    arch: "x64",
    isProgram: (file) => there.includes(file),
  };
}

test("the configured server goes before the bundled one", () => {
  assert.deepEqual(findProgram(places([bundled, "/opt/brv-lsp"], "/opt/brv-lsp")), { path: "/opt/brv-lsp" });
});

test("without a setting the bundled server is used", () => {
  assert.deepEqual(findProgram(places([bundled])), { path: bundled });
});

test("on Windows the bundled server ends in .exe", () => {
  const found = findProgram({ ...places([]), platform: "win32", isProgram: (file) => file.endsWith("brv-lsp.exe") });
  assert.ok("path" in found);
});

test("a configured server that is missing is not replaced by the bundled one", () => {
  const found = findProgram(places([bundled], "/opt/brv-lps"));
  assert.ok("problem" in found);
  assert.match(found.problem, /\/opt\/brv-lps.*not a program/);
});

test("a relative path is refused: it would depend on the working folder", () => {
  const found = findProgram(places([bundled], "bin/brv-lsp"));
  assert.ok("problem" in found);
  assert.match(found.problem, /absolute/);
});

test("a build without a server says so and what to do", () => {
  const found = findProgram(places([]));
  assert.ok("problem" in found);
  assert.match(found.problem, /no server for linux-x64.*brv\.server\.path/);
});
