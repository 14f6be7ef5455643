// What axe-core finds in our views and in the webviews that are open.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { eventually } from "./editor.mjs";

/** What is ours in the workbench's own document: the rows. Headers, and the steps of a walkthrough, are the editor's. */
const ours = ['[id="workbench.view.extension.brv"] .monaco-list'];

/** The editor writes a row's name and description without a space between them, so that no label can hold them as they stand. */
const rows = { "label-content-name-mismatch": { enabled: false } };

/** Fails on serious and critical faults; dir is where the workbench is installed. */
export async function accessible(page, dir) {
  const axe = readFileSync(createRequire(`${dir}/package.json`).resolve("axe-core/axe.min.js"), "utf8");
  const found = await eventually("something of ours to look at", () => faults(page, axe).catch((error) => {
    if (!/detached|destroyed/.test(error.message)) throw error; // a webview made room for another meanwhile
  }));
  assert.equal(found.length, 0, found.join("\n"));
}

/** The faults in all that is shown of ours; undefined while nothing is. */
async function faults(page, axe) {
  const found = [];
  let looked = 0;
  for (const frame of page.frames()) {
    const main = frame === page.mainFrame();
    const places = await frame.evaluate((wanted) => wanted.filter((one) => document.querySelector(one)?.checkVisibility()), main ? ours : ["body"]).catch(() => []);
    if (places.length === 0 || (!main && !(await shown(frame)))) continue;
    await frame.evaluate(axe);
    // A webview is transparent: what shines through is not in its own document.
    if (!main) await frame.evaluate(() => document.documentElement.style.setProperty("background-color", "var(--vscode-editor-background)"));
    looked++;
    found.push(...(await frame.evaluate(async ([include, rules]) => {
      const { violations } = await globalThis.axe.run({ include }, { resultTypes: ["violations"], iframes: false, rules });
      return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
        .flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html.slice(0, 300)}\n  ${failureSummary.slice(0, 300)}`));
    }, [places, main ? rows : {}])));
  }
  return looked === 0 ? undefined : found;
}

/** Whether a frame, and each that holds it, is seen, and has a page of its own in it. */
async function shown(frame) {
  const holder = await frame.frameElement().catch(() => undefined);
  return holder !== undefined && (await holder.isVisible()) && frame.evaluate(() => document.body.innerText.trim() !== "").catch(() => false);
}
