// host.mjs WORKBENCH: runs dist/test/host.cjs inside the extension host of the workbench,
// with the extension from this folder, and one that brings a language model.
import { join } from "node:path";
import { failed, finish } from "./steps.mjs";
import { withWorkbench } from "./workbench.mjs";

const extension = join(import.meta.dirname, "../..");

await withWorkbench({ dir: process.argv[2], unpacked: { "brv-lsp-test.model-0.0.0": join(import.meta.dirname, "model") } }, async ({ page, url, remote, log }) => {
  const { promise: result, resolve: end } = Promise.withResolvers();
  let last = "nothing";
  const errors = [];
  const late = setTimeout(() => end(`nothing for two minutes after: ${last}`), 120_000).unref();
  await page.exposeFunction("codeAutomationExit", end);
  await page.exposeFunction("codeAutomationLog", (_type, args) => {
    const line = [args].flat().join(" ");
    if (!/^(ok|FAILED) /.test(line)) return; // the workbench talks a lot itself
    const [name, ...stack] = line.split("\n");
    if (name.startsWith("ok")) console.log(line);
    else errors.push(failed(`host: ${name.replace(/^FAILED\s+/, "")}`, { stack: stack.join("\n") }, page));
    last = name;
    late.refresh();
  });
  // The web workbench takes an extension under development from its address only when
  // its smoke test driver is on.
  await page.addInitScript(() => document.addEventListener("readystatechange", () => {
    const meta = document.getElementById("vscode-workbench-web-configuration");
    if (meta === null || meta.dataset.patched === "yes") return;
    const config = JSON.parse(meta.getAttribute("data-settings"));
    config.developmentOptions = { ...config.developmentOptions, enableSmokeTestDriver: true };
    meta.setAttribute("data-settings", JSON.stringify(config));
    meta.dataset.patched = "yes";
  }));
  await page.goto(url([
    ["extensionDevelopmentPath", remote(extension)],
    ["extensionTestsPath", remote(join(extension, "dist/test/host.cjs"))],
  ]), { waitUntil: "domcontentloaded" });
  const code = await result;
  clearTimeout(late);
  await Promise.all(errors);
  if (code !== 0 && errors.length === 0) await failed("host", { stack: `the tests ended with ${code}` }, page, log());
});
finish();
