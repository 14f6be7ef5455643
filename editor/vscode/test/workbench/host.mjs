// host.mjs WORKBENCH: runs dist/test/host.cjs inside the extension host of the workbench,
// with the extension from this folder.
import { join } from "node:path";
import { withWorkbench } from "./workbench.mjs";

const extension = join(import.meta.dirname, "../..");

await withWorkbench({ dir: process.argv[2] }, async ({ page, url, remote }) => {
  const result = new Promise((resolve) => page.exposeFunction("codeAutomationExit", resolve));
  await page.exposeFunction("codeAutomationLog", (_type, args) => {
    const line = [args].flat().join(" ");
    if (/^(ok|FAILED) /.test(line)) console.log(line); // the workbench talks a lot itself
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
  const late = new Promise((resolve) => setTimeout(resolve, 120_000, "nothing for two minutes").unref());
  const code = await Promise.race([result, late]);
  if (code !== 0) throw new Error(`the extension host's tests ended with ${code}`);
});
