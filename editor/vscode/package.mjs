// Builds the server for this machine into bin/ and packs it, with the bundled
// extension, into brv-lsp-<target>-<version>.vsix. `npm run package` bundles first.
import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const target = `${process.platform}-${process.arch}`; // the marketplace uses node's names
const program = process.platform === "win32" ? "brv-lsp.exe" : "brv-lsp";

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
run("go", "build", "-trimpath", "-ldflags=-s -w", "-o", join("bin", program), "../../cmd/brv-lsp");
run(process.execPath, "node_modules/@vscode/vsce/vsce", "package",
  "--no-dependencies", // everything it needs is in the bundle
  "--target", target, "--out", `brv-lsp-${target}-${version}.vsix`);
