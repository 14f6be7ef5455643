// Builds the server for this machine into bin/ and packs it, with the bundled
// extension, into brv-lsp-<target>-<version>.vsix. `npm run package` bundles first.
// For a release: --target NAME, --binary FILE of that target, --out DIR.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const here = import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const string = { type: "string" };
const { values: given } = parseArgs({ options: { target: string, binary: string, out: string } });
const target = given.target ?? `${process.platform}-${process.arch}`; // the marketplace uses node's names
const program = target.startsWith("win32") ? "brv-lsp.exe" : "brv-lsp";
const out = resolve(given.out ?? here);

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { cwd: here, stdio: "inherit" });
  if (status !== 0) {
    console.error(`${command} failed${error === undefined ? "" : `: ${error.message}`}`);
    process.exit(1);
  }
}

// What is bundled is listed with its licence: the test of the notices goes by what is imported.
const notices = readFileSync(join(here, "../../THIRD-PARTY-NOTICES.txt"), "utf8");
const { inputs } = JSON.parse(readFileSync(join(here, "dist/meta.json"), "utf8"));
for (const input of Object.keys(inputs)) {
  const [, folder, name] = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))/.exec(input) ?? [];
  if (name === undefined) continue;
  const { version } = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
  if (!notices.includes(`\n  ${name} ${version}: `)) {
    console.error(`${name} ${version} is not in THIRD-PARTY-NOTICES.txt: go test ./internal/notices -update`);
    process.exit(1);
  }
}
for (const name of ["LICENSE", "NOTICE", "THIRD-PARTY-NOTICES.txt"]) {
  copyFileSync(join(here, "../..", name), join(here, name));
}

for (const old of readdirSync(here).filter((name) => name.endsWith(".vsix"))) rmSync(join(here, old));
rmSync(join(here, "bin"), { recursive: true, force: true });
if (given.binary === undefined) {
  run("go", "build", "-trimpath", "-ldflags=-s -w", "-o", join("bin", program), "../../cmd/brv-lsp");
} else {
  mkdirSync(join(here, "bin"));
  copyFileSync(given.binary, join(here, "bin", program));
  chmodSync(join(here, "bin", program), 0o755);
}
run(process.execPath, "node_modules/@vscode/vsce/vsce", "package",
  "--no-dependencies", // everything it needs is in the bundle
  "--target", target, "--out", join(out, `brv-lsp-${target}-${version}.vsix`));
