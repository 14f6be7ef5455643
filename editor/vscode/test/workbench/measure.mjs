// measure.mjs WORKBENCH VSIX: how soon the packaged extension is of use in an empty profile, what it costs while
// nothing happens, whether a tree of 10,000 entries makes the window pause, and how a graph of 2,000 nodes moves. It prints figures and judges none:
// they stand in docs/measured.md. With ONLY=NAME a session whose name holds that is run alone.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Editor, eventually, patience } from "./editor.mjs";
import { withWorkbench } from "./workbench.mjs";

const [dir, vsix] = process.argv.slice(2);
const tree = ".brv/context-tree";
const quiet = 30_000; // ms that nothing is done, of which the last two thirds are measured

const sessions = {
  async tree() {
    await withWorkbench({ dir, vsix, unpacked: peer() }, async (workbench) => {
      for (const window of ["the first window of the profile", "the second", "the third"]) {
        const { page, since } = await opened(workbench, "src/auth/tokens.ts");
        const seen = (what) => what.first().waitFor().then(since);
        const lens = seen(page.locator(".codelens-decoration", { hasText: /entr(y|ies)/ }));
        const others = seen(page.locator(".statusbar-item", { hasText: "peer is here" }));
        const listed = seen(page.locator(".pane .monaco-list-row", { hasText: "authentication" }));
        const icon = page.locator(".activitybar .action-item", { has: page.locator('[aria-label^="Context"]') }).first();
        if (!(await icon.getAttribute("class")).includes("checked")) await icon.click();
        console.log(`with a tree, ${window}: ms after the code is on the screen: ${await listed} the knowledge is listed, ${await lens} lines stand over the code; `
          + `${await others} an extension that does nothing else is activated`);
        await activation(page);
      }
      const { page } = workbench;
      await idle(page);
    });
  },

  async none() {
    await withWorkbench({ dir, vsix, prepare: (folder) => void rmSync(join(folder, ".brv"), { recursive: true }) }, async (workbench) => {
      const { page, since } = await opened(workbench, "src/auth/signing.ts");
      const asked = since();
      await page.locator('.activitybar .action-item [aria-label^="Context"]').first().click();
      await page.locator(".pane .monaco-list-row", { hasText: "Documents" }).first().waitFor();
      console.log(`without a tree: the documents are listed ${since()} ms after the code is on the screen, ${since() - asked} ms after the view is asked for`);
      await activation(page);
    });
  },

  async bare() {
    await withWorkbench({ dir }, async (workbench) => {
      const { page } = await opened(workbench, "src/auth/tokens.ts");
      console.log("without the extension, for comparison:");
      await idle(page);
    });
  },

  async many() {
    const [domains, topics, entries] = [10, 10, 100];
    const prepare = (folder) => {
      for (let d = 0; d < domains; d++) for (let t = 0; t < topics; t++) {
        const topic = join(folder, tree, `domain_${d}/topic_${t}`);
        mkdirSync(topic, { recursive: true });
        for (let e = 0; e < entries; e++) {
          writeFileSync(join(topic, `entry_${e}.md`), `---\ntitle: Entry ${e} of topic ${t} in domain ${d}\n---\n## Facts\n- Part ${e} waits for part ${t} of ${d}\n`);
        }
      }
    };
    await withWorkbench({ dir, vsix, prepare }, async (workbench) => {
      const { page, since } = await opened(workbench, "src/auth/tokens.ts");
      const editor = new Editor(page);
      const row = (text) => page.locator(".pane .monaco-list-row", { hasText: text }).first();
      await editor.command("View: Show Context");
      await row("domain_0").waitFor();
      console.log(`${domains * topics * entries} entries: the domains are listed ${since()} ms after the code is on the screen`);
      await page.waitForTimeout(quiet / 3);
      await page.evaluate(() => {
        globalThis.pauses = [];
        new PerformanceObserver((list) => pauses.push(...list.getEntries().map(({ duration }) => Math.round(duration)))).observe({ type: "longtask" });
      });
      const paused = async (what, doing) => {
        const start = Date.now();
        await page.evaluate(() => void (pauses.length = 0));
        await doing();
        const took = Date.now() - start;
        await page.waitForTimeout(500);
        console.log(`${what}: ${took} ms, pauses of the window over 50 ms: ${(await page.evaluate(() => pauses)).join(", ") || "none"}`);
      };
      const list = page.locator(".pane .monaco-list").first();
      await paused("nothing, for comparison", () => page.waitForTimeout(2000));
      await paused("open a domain", async () => {
        await row("domain_0").locator(".monaco-tl-twistie").click();
        await row("topic_0").waitFor();
      });
      await paused("open a topic of 100 entries", async () => {
        await row("topic_0").locator(".monaco-tl-twistie").click();
        await row("Entry 0 of").waitFor();
      });
      await paused("scroll through it", async () => {
        await list.hover();
        for (let turn = 0; turn < 30; turn++) {
          await page.mouse.wheel(0, 200);
          await page.waitForTimeout(16);
        }
      });
      await paused("filter all entries by words", async () => {
        await editor.command("brv: Filter the knowledge");
        await editor.answer("Filter the knowledge", "Entry 77");
        await row("Entry 77 of").waitFor();
      });
      await idle(page);
    });
  },

  async graph() {
    const [domains, topics, entries] = [20, 10, 10];
    const path = (n) => `domain_${n % domains}/topic_${Math.floor(n / domains) % topics}/entry_${Math.floor(n / domains / topics)}.md`;
    const count = domains * topics * entries;
    const prepare = (folder) => {
      for (let n = 0; n < count; n++) {
        const at = join(folder, tree, path(n));
        mkdirSync(dirname(at), { recursive: true });
        const related = [(n + domains) % count, (n * 7 + 1) % count].map((other) => `- See @${path(other)}\n`); // its neighbour, and one far away
        writeFileSync(at, `---\ntitle: Entry ${n}\n---\n## Facts\n- Part ${n} waits\n${related.join("")}`);
      }
    };
    await withWorkbench({ dir, vsix, prepare }, async (workbench) => {
      const { page } = await opened(workbench, "src/auth/tokens.ts");
      const editor = new Editor(page);
      await editor.command("View: Show Context");
      await page.locator(".pane .monaco-list-row", { hasText: "domain_0" }).first().waitFor();
      await page.waitForTimeout(quiet / 3);
      await editor.command("brv: Show the knowledge graph");
      const start = Date.now();
      const frame = await eventually("the picture", async () => {
        for (const one of page.frames()) if (await one.locator("svg.graph .nodes > a[tabindex]").count().catch(() => 0)) return one;
        return undefined;
      });
      await frame.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      const shown = Date.now() - start;
      const nodes = await frame.locator("svg.graph .nodes > a").count();
      const links = await frame.evaluate(() => document.body.dataset.links.split(",").length / 2);
      console.log(`a graph of ${nodes} nodes and ${links} links: on the screen ${shown} ms after it is asked for`);
      const { x, y, width, height } = await frame.locator("main").boundingBox();
      const [atX, atY] = [x + width / 2, y + height / 2];
      const frames = async (what, doing) => {
        await frame.evaluate(() => {
          globalThis.frames = [];
          globalThis.looking = true;
          let last = performance.now();
          requestAnimationFrame(function tick(now) {
            globalThis.frames.push(now - last);
            last = now;
            if (globalThis.looking) requestAnimationFrame(tick);
          });
        });
        await doing();
        await page.waitForTimeout(500); // it is painted sharply once it rests
        const took = (await frame.evaluate(() => ((globalThis.looking = false), globalThis.frames))).toSorted((a, b) => a - b);
        const of = (share) => Math.round(took[Math.floor((took.length - 1) * share)]);
        console.log(`${what}: ${took.length} frames, median ${of(0.5)} ms, 95 % within ${of(0.95)} ms, the longest ${of(1)} ms, over 50 ms: ${took.filter((ms) => ms > 50).length}`);
      };
      const turns = async (times, turn) => {
        for (let n = 0; n < times; n++) {
          await turn(n);
          await page.waitForTimeout(16);
        }
      };
      await page.mouse.move(atX, atY);
      await frames("nothing, for comparison", () => page.waitForTimeout(2000));
      await frames("zoom in by the wheel", () => turns(60, () => page.mouse.wheel(0, -40)));
      const drag = async () => {
        await page.mouse.down();
        await turns(60, (n) => page.mouse.move(atX + 200 * Math.sin(n / 8), atY + 120 * Math.sin(n / 5)));
        await page.mouse.up();
        await page.mouse.move(atX, atY);
      };
      await frames("drag, enlarged", drag);
      await frames("zoom out by the wheel", () => turns(60, () => page.mouse.wheel(0, 40)));
      await frames("drag, all of it", drag);
      await frames("move over the nodes", () => turns(60, (n) => page.mouse.move(atX + n * 3, atY + n)));
      await page.keyboard.press("ArrowDown");
      await frames("from node to node by keys", () => turns(20, (n) => page.keyboard.press(["ArrowDown", "ArrowRight"][n % 2])));
      await frames("find by typing", async () => {
        await frame.locator("#find").focus();
        await page.keyboard.type("entry 77", { delay: 60 });
      });
    });
  },
};

const extension = join(import.meta.dirname, "../..");
const sizes = ["extension.cjs", "client.cjs"].map((name) => statSync(join(extension, "dist", name)).size);
console.log(`bundle: ${sizes.join(" + ")} bytes`);
for (const [name, session] of Object.entries(sessions)) {
  if (name.includes(process.env.ONLY ?? "")) await session();
}

/** An extension that starts when ours does and shows that it did: the time until then is the editor's own. */
function peer() {
  const at = mkdtempSync(join(tmpdir(), "brv-peer-"));
  const { activationEvents, engines } = JSON.parse(readFileSync(join(extension, "package.json"), "utf8"));
  writeFileSync(join(at, "package.json"), JSON.stringify({ name: "peer", publisher: "test", version: "0.0.0", main: "./main.cjs", activationEvents, engines }));
  writeFileSync(join(at, "main.cjs"), 'exports.activate = () => void require("vscode").window.setStatusBarMessage("peer is here");');
  return { "test.peer-0.0.0": at };
}

/** Opens a file in the empty profile; since() counts from when its text is on the screen. */
async function opened({ page, folder, url, remote }, path) {
  page.setDefaultTimeout(patience);
  await page.goto(url([["openFile", remote(join(folder, path))]]), { waitUntil: "domcontentloaded" });
  await page.locator(".monaco-editor .view-line", { hasText: "export" }).first().waitFor();
  const start = Date.now();
  return { page, since: () => Date.now() - start };
}

/** What the editor itself says of the time that the activation of the extension took, and of the one that does nothing. */
async function activation(page) {
  await new Editor(page).command("Developer: Show Running Extensions");
  const rows = page.locator(".runtime-extensions-editor .monaco-list-row");
  await rows.filter({ hasText: "brv: context tree" }).getByText("Activation").first().waitFor();
  for (const row of await rows.filter({ hasText: /brv: context tree|test\.peer|^peer/ }).all()) {
    const text = await row.innerText();
    console.log(`activation, as the editor shows it: ${text.split("\n")[0]}, ${/Activation: [^]*?ms/.exec(text)?.[0]}`);
  }
}

/** Processor time and memory of the extension host, and of the server that it starts, while nothing happens. */
async function idle(page) {
  await page.waitForTimeout(quiet / 3);
  const ours = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && descends(pid));
  const find = (words) => ours.find((pid) => commandOf(pid).includes(words));
  const looked = { "extension host": find("--type=extensionHost"), server: find("bin/brv-lsp") };
  const before = Object.values(looked).map((pid) => pid && ticks(pid));
  await page.waitForTimeout((2 * quiet) / 3);
  for (const [at, [what, pid]] of Object.entries(looked).entries()) {
    if (pid === undefined) continue;
    const busy = (((ticks(pid) - before[at]) * 10) / ((2 * quiet) / 3)) * 100; // a tick is 10 ms
    const memory = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1];
    console.log(`idle for ${(2 * quiet) / 3000} s: ${what} ${busy.toFixed(2)} % of a core, ${Math.round(memory / 1024)} MB resident`);
  }
}

/** Whether a process was started by this one, or by one that was. */
function descends(pid) {
  try {
    for (let at = pid; at !== "0"; at = stat(at)[1]) if (at === String(process.pid)) return true;
  } catch {
    // it has ended
  }
  return false;
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it has ended
  }
}

/** The fields of /proc/PID/stat behind the name: state, parent … */
function stat(pid) {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
}

function ticks(pid) {
  const fields = stat(pid);
  return Number(fields[11]) + Number(fields[12]);
}
