// host.mjs WORKBENCH: runs dist/test/host.cjs inside the extension host of the workbench,
// with the extension from this folder, and one that brings a language model.
import { join } from "node:path";
import { withWorkbench } from "./workbench.mjs";

const extension = join(import.meta.dirname, "../..");

await withWorkbench({ dir: process.argv[2], unpacked: { "brv-lsp-test.model-0.0.0": join(import.meta.dirname, "model") } }, async ({ page, url, remote }) => {
  const { promise: result, resolve: end } = Promise.withResolvers();
  const late = setTimeout(end, 120_000, "nothing for two minutes").unref();
  await page.exposeFunction("codeAutomationExit", end);
  await page.exposeFunction("codeAutomationLog", (_type, args) => {
    const line = [args].flat().join(" ");
    if (!/^(ok|FAILED) /.test(line)) return; // the workbench talks a lot itself
    console.log(line);
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
  if (code !== 0) throw new Error(`the extension host's tests ended with ${code}`);
});
