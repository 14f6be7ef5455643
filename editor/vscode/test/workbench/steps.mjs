// Sessions in a workbench of their own, and their steps. A line for each step; what failed is said once more when all
// is over, with what was on the screen, since of a long log often only the end is kept.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patience } from "./editor.mjs";
import { withWorkbench } from "./workbench.mjs";

const failures = [];
const screenshots = join(tmpdir(), "brv-failed");

/** Runs work({ page, … }, step). Steps build on one another, so the first failure ends the session; others may follow. */
export async function session(name, options, work) {
  const start = Date.now();
  try {
    await withWorkbench(options, async (workbench) => {
      const { page } = workbench;
      page.setDefaultTimeout(patience);
      let doing = "start";
      const step = async (what, run) => {
        doing = what;
        const began = Date.now();
        await run();
        await iconsAreDrawn(page);
        console.log(`ok      ${what} (${Date.now() - began} ms)`);
      };
      try {
        await work(workbench, step);
      } catch (error) {
        await failed(`${name}: ${doing}`, error, page, workbench.log());
      }
    });
  } catch (error) {
    await failed(name, error);
  }
  console.log(`        ${name}: ${Math.round((Date.now() - start) / 1000)} s`);
}

/** Says at the end what failed; the process ends accordingly. */
export function finish() {
  if (failures.length === 0) return;
  console.log(`\n${failures.length} failed:\n${failures.join("\n")}`);
  process.exitCode = 1;
}

/** Notes a failure, with what a page shows and the last lines of a log. */
export async function failed(what, error, page, log = []) {
  console.log(`FAILED  ${what}`);
  const said = [`FAILED  ${what}`, ...(error.stack ?? String(error)).split("\n").filter((line) => !line.includes("node:")).slice(0, 20)];
  if (page !== undefined) {
    mkdirSync(screenshots, { recursive: true });
    const seen = join(screenshots, `${what.replaceAll(/\W+/g, "-").slice(0, 80)}.png`);
    await page.screenshot({ path: seen }).then(() => said.push(`screenshot: ${seen}`), ({ message }) => said.push(`no screenshot: ${message}`));
    said.push(...(await onScreen(page).catch(() => [])));
  }
  failures.push([...said, ...log].join("\n        "));
}

/** What the parts of the window say that tell most of its state. */
function onScreen(page) {
  return page.evaluate(() => [".tab.active", ".quick-input-widget", ".monaco-dialog-box", ".notification-list-item", ".monaco-hover", ".pane", ".statusbar"]
    .flatMap((part) => [...document.querySelectorAll(part)].filter((one) => one.checkVisibility()).map((one) => `${part}: ${one.innerText.trim().split(/\s*\n\s*/).join(" | ").slice(0, 300)}`)));
}

/** An icon's name in text that draws none is shown as it is written. */
async function iconsAreDrawn(page) {
  const written = await page.evaluate(() => /\$\([a-z][a-z~-]*\)/.exec(document.body?.innerText ?? "")?.[0]).catch(() => undefined);
  assert.equal(written, undefined, "the name of an icon stands in the window's text");
}
