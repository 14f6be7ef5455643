#!/usr/bin/env node
// Starts the program that the package for this platform brings, and ends as it ends.
"use strict";
const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`@brv-lsp/${platform}/bin/brv-lsp${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(
    `brv-lsp: the package @brv-lsp/${platform} is not installed.\n` +
      "It is an optional dependency: install without --omit=optional, on the system that runs it.\n" +
      `Systems that have one: <<range $i, $p := .Platforms>><<if $i>>, <<end>><<$p.Node>><<end>>.`,
  );
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// Ctrl-C reaches both; what is sent to this process alone is passed on.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`brv-lsp: ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
