// context.mjs WORKBENCH VSIX: what stands in front of the engine, looked at as a person does: staleness in hovers,
// the context views, reviews, graph and map, one sentence written down, folders without a tree, several folders, the walkthrough.
// With PICTURES=DIR the gallery's pictures are taken, in light and dark; with SCREENS=DIR the same screens in light and dark,
// 1,280 and 900 px wide, to be looked at; with RECORD=DIR the frames of the recording of the first minute (record.py).
// With ONLY=NAME only sessions are run whose names match that, such as ^tree$.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { accessible } from "./axe.mjs";
import { Editor, eventually } from "./editor.mjs";
import { finish, session } from "./steps.mjs";

const [dir, vsix] = process.argv.slice(2);
const tree = ".brv/context-tree";
const server = join(import.meta.dirname, "../../bin/brv-lsp");
const themes = { light: ["Light Modern", "vs"], contrast: ["Default High Contrast", "hc-black"], dark: ["Dark Modern", "vs-dark"] };
const galleryPage = readFileSync(join(import.meta.dirname, "../../../../docs/editor.md"), "utf8");
const { PICTURES: gallery, SCREENS: screens, RECORD: record } = process.env;
/** The theme follows what the browser says the person prefers, so that one session takes both looks. */
const following = { "window.autoDetectColorScheme": true };

/** Runs git at a date. */
function gitIn(folder) {
  return (date, ...args) => execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args],
    { cwd: folder, stdio: "ignore", env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date } });
}

/** A repository with a document that names a file which was renamed. */
function outdated(folder) {
  writeFileSync(join(folder, "docs/limits.md"), "# Limits\n\nHow many tokens a user has is in [limits.ts](../src/auth/limits.ts).\n");
  writeFileSync(join(folder, "src/auth/limits.ts"), "export const mostTokens = 5;\n\n/** Whether a user may have one more. */\nexport function allows(count: number): boolean {\n  return count < mostTokens;\n}\n");
  drifted(folder);
  gitIn(folder)("2026-11-21T00:00:00Z", "mv", "src/auth/limits.ts", "src/auth/quota.ts");
  gitIn(folder)("2026-11-21T00:00:00Z", "commit", "-qm", "Limits are quotas");
}

/** A repository in which the code went on since an entry was written. */
function drifted(folder) {
  const git = gitIn(folder);
  git("2026-01-01T00:00:00Z", "init", "-q");
  git("2026-07-01T00:00:00Z", "add", "-A");
  git("2026-07-01T00:00:00Z", "commit", "-qm", "Shop");
  const tokens = join(folder, "src/auth/tokens.ts");
  const text = readFileSync(tokens, "utf8");
  const at = text.indexOf("export async function issueTokens");
  const end = text.indexOf("\n}\n", at) + 3;
  assert.ok(at > 0 && end > at);
  writeFileSync(tokens, `${text.slice(0, at)}export async function issueTokens(user: string): Promise<TokenPair> {
  const key = await keyOfTenant(user);
  return { access: await seal(key, user, 5 * 60), refresh: crypto.randomUUID() };
}
${text.slice(end)}`);
  git("2026-11-20T00:00:00Z", "commit", "-qam", "Tokens are sealed with the tenant's key");
}

const sessions = {
  async tree(run) {
    await run({ prepare: drifted }, async ({ page, folder, url, remote }, step, picture) => {
      const editor = new Editor(page);
      await page.goto(url([["openFile", remote(join(folder, "src/auth/tokens.ts"))]]), { waitUntil: "domcontentloaded" });

      await step("a hover of a stale entry begins with it, and its links act", async () => {
        await editor.shows("rotateRefreshToken", 3);
        await editor.goTo(folder, "src/auth/tokens.ts", "issueTokens(user", 3);
        const said = await editor.hover(/is possibly out of date/);
        assert.match(said.trim(), /^\S*\s*Access tokens is possibly out of date: issueTokens is \d+ % different since 2026-08-01.* · what changed · still true/s);
        await picture("hover");
        await page.locator(".monaco-hover:visible a", { hasText: "what changed" }).first().click();
        await editor.shows("Review: Access tokens");
        await editor.shows("keyOfTenant");
        await picture("changes");
        await page.keyboard.press("Escape");
      });

      await step("lines over the code say what is known of it, and one command switches them off", async () => {
        await editor.command("View: Close All Editors");
        await editor.open("src/auth/tokens.ts");
        await page.keyboard.press("Control+Home");
        const lens = (text) => page.locator(".codelens-decoration", { hasText: text }).first();
        await lens(/entries · 1 stale|entries · \d stale/).waitFor();
        await lens("Access tokens · stale").waitFor();
        await picture("lenses");
        await lens(/entries · \d stale/).locator("a").click();
        await page.locator(".peekview-widget").first().waitFor();
        await page.keyboard.press("Escape");
        await editor.command("brv: Turn the lines above code on or off");
        await lens("Access tokens · stale").waitFor({ state: "detached" });
        await editor.command("brv: Turn the lines above code on or off");
        await lens("Access tokens · stale").waitFor();
      });

      await step("the status says what is stale, and its menu leads on", async () => {
        const item = page.locator(".statusbar-item", { hasText: "brv" }).first();
        await page.locator(".statusbar-item", { hasText: /brv.*1/ }).first().waitFor();
        await item.click();
        await editor.offered("Show the knowledge");
        await editor.choose("Show the knowledge");
      });

      await step("the knowledge is a tree with what is stale, waiting and broken", async () => {
        await row(page, "authentication").waitFor();
        await open(page, "authentication");
        await open(page, "tokens");
        await row(page, "Access tokens").getByText("stale").waitFor();
        await row(page, "database").getByText(/broken/).waitFor();
        await open(page, /^Documents/);
        await row(page, "Signing").waitFor();
        await picture("knowledge");
        await row(page, "Refresh token rotation").click();
        await editor.activeTab("refresh_rotation.md");
      });

      await step("it is filtered by words", async () => {
        await editor.command("brv: Filter the knowledge");
        await editor.answer("Filter the knowledge", "sign");
        await row(page, "Signing").waitFor();
        await row(page, "authentication").waitFor({ state: "detached" });
        await editor.command("brv: Filter the knowledge");
        await page.locator(".quick-input-widget .quick-input-title", { hasText: "Filter the knowledge" }).waitFor();
        await editor.input.fill("database"); // it follows as one types
        await openBy(page, "Online migrations", "online_migrations.md");
        await row(page, "Signing").waitFor({ state: "detached" });
        await editor.input.fill("no such words");
        await page.getByText("0 with “no such words”").waitFor();
        await page.getByText("This folder has no context tree").waitFor({ state: "hidden" });
        await page.keyboard.press("Escape");
        await row(page, "Signing").waitFor();
        await editor.command("brv: Filter the knowledge");
        await editor.answer("Filter the knowledge", "");
        await row(page, "authentication").waitFor();
      });

      await step("the view at the cursor is live", async () => {
        await editor.open("src/auth/tokens.ts");
        await editor.goTo(folder, "src/auth/tokens.ts", "rotateRefreshToken", 3);
        await row(page, /^rotateRefreshToken$/).waitFor();
        await editor.goTo(folder, "src/auth/tokens.ts", "issueTokens(user", 3);
        await row(page, /^issueTokens$/).waitFor();
        const header = page.locator(".pane-header", { hasText: "Knowledge" }).locator(".title"); // in its middle stand buttons
        await header.click();
        await picture("here");
        await header.click();
      });

      await step("around a document stand the code that it names and the entries that speak of it", async () => {
        await editor.open("docs/signing.md");
        await row(page, "Code that it names").waitFor();
        await row(page, "signing.ts").waitFor();
        await row(page, "Claims").waitFor();
        await picture("document");
      });

      await step("a section is promoted to an entry, which is taken back and opened from the message", async () => {
        const made = () => entries(folder).filter((path) => path.startsWith("docs/signing/") && !path.endsWith("context.md"));
        const promote = async (button) => {
          await editor.goTo(folder, "docs/signing.md", "## Payload", 5);
          await editor.codeAction("Promote this section to an entry");
          await eventually("the entry", () => made()[0]);
          await editor.press("Created docs/signing/", button);
        };
        await promote("Undo");
        await eventually("no entry", () => made().length === 0 || undefined);
        await editor.open("docs/signing.md");
        await promote("Open");
        await editor.activeTab("payload.md");
        await editor.command("brv: Undo a change of the tree");
        await editor.takeFirst("Changed payload");
        await eventually("no entry", () => made().length === 0 || undefined);
        await editor.open("src/auth/tokens.ts");
      });

      await step("one sentence is written down, with a topic that is offered", async () => {
        const before = entries(folder);
        await editor.goTo(folder, "src/auth/tokens.ts", "await revokeFamily", 8);
        await editor.command("brv: Write down what the next person should know");
        await editor.answer("What should the next person know?", "A family is revoked before the answer goes out, since clients retry at once");
        await editor.takeFirst("authentication/tokens");
        await editor.activeTab("a_family_is_revoked");
        await editor.shows("src/auth/tokens.ts:");
        await picture("draft");
        await page.keyboard.press("Escape");
        await typeAtEnd(page, "- Broken: @database/nowhere.md, and @authentication/sessions/revo");
        await page.keyboard.press("Control+Space");
        await page.locator(".suggest-widget .monaco-list-row", { hasText: "revocation.md" }).first().waitFor();
        await page.keyboard.press("Enter");
        await page.locator(".squiggly-error").first().waitFor();
        await page.keyboard.press("ArrowLeft");
        await editor.hover(/Session revocation/);
        await page.keyboard.press("Escape");
        await editor.command("View: Show Context");
        await open(page, "authentication");
        await open(page, "tokens");
        await row(page, "A family is revoked").click();
        await editor.activeTab("a_family_is_revoked");
        assert.equal(await page.locator(".tab", { hasText: "a_family_is_revoked" }).count(), 1, "the row opens the draft");
        assert.deepEqual(entries(folder), before, "nothing is written before it is saved");
        await editor.command("View: Focus Active Editor Group");
        await editor.save();
        const made = await eventually("the entry", () => entries(folder).find((path) => path.includes("a_family_is_revoked")));
        const text = await eventually("its text", () => readFileSync(join(folder, tree, made), "utf8") || undefined);
        assert.match(text, /- A family is revoked before the answer goes out/);
        assert.doesNotMatch(text, /await revokeFamily/, "the code is referred to");
        await typeAtEnd(page, "\n- See @authentication/tokens/refr"); // the server follows what was a draft
        await page.keyboard.press("Control+Space");
        await page.locator(".suggest-widget .monaco-list-row", { hasText: "refresh_rotation.md" }).first().waitFor();
        await page.keyboard.press("Enter");
        await page.keyboard.press("ArrowLeft");
        await editor.hover(/Refresh token rotation/);
        await page.keyboard.press("Escape");
        await editor.save();
      });

      await step("a question is answered as it reads, with its sources", async () => {
        await editor.command("brv: Ask the team's knowledge");
        await editor.answer("Ask the team's knowledge", "How long do access tokens live?");
        const shown = await preview(page);
        await shown.getByText("Sources").waitFor();
        await shown.getByText("Possibly out of date").waitFor();
        const source = shown.locator("a[title]", { hasText: "Access tokens" }).last();
        assert.match(await source.getAttribute("title"), /expire after fifteen minutes/, "it is seen what stands there");
        await accessible(page, dir);
        await picture("answer");
        await shown.locator("a", { hasText: "Access tokens" }).last().click();
        await editor.activeTab("access_tokens.md");
      });

      await step("a topic is renamed by its key, and what leads there follows", async () => {
        await editor.command("View: Show Context");
        await open(page, "database");
        await row(page, "migrations").click({ position: { x: 60, y: 8 } });
        await page.keyboard.press("F2");
        await editor.answer("Rename or move", "database/changes");
        await eventually("the folder", () => entries(folder).find((path) => path.startsWith("database/changes/")));
        await row(page, "changes").waitFor();
        await open(page, "authentication");
        await open(page, "tokens");
        await row(page, "Refresh token rotation").click();
        await page.keyboard.press("F2");
        await editor.answer("Rename or move", "authentication/tokens/rotation.md");
        await page.locator(".monaco-dialog-box").getByRole("button", { name: "OK" }).click();
        const leads = (path) => readFileSync(join(folder, tree, path), "utf8").includes("authentication/tokens/rotation.md");
        for (const path of ["database/changes/online_migrations.md", "authentication/sessions/revocation.md"]) {
          await eventually(`${path} follows`, () => leads(path) || undefined);
        }
      });

      await step("what waits says what and why; a confirmation shows the entry beside what changed", async () => {
        const op = (...more) => execFileSync(server, ["curate", "--hold", "all", "--reason", "the code went on", ...more], { cwd: folder, stdio: "ignore" });
        op("--op", "CONFIRM", "--path", "authentication/tokens/access_tokens.md");
        op("--op", "ADD", "--path", "operations/alerts", "--title", "On call", "--highlights", "Alerts go to whoever is on call.");
        op("--op", "ADD", "--path", "operations/alerts", "--title", "Quiet hours", "--highlights", "Nobody is woken for staging.");
        await editor.command("View: Show Context");
        await row(page, "Still true? access tokens").waitFor();
        await row(page, /^Access tokens/).getByText("waits for review").waitFor();
        await row(page, "Add On call").getByText(/the code went on.*ago|just now/).waitFor();
        await row(page, "Add Quiet hours").waitFor();
        await openBy(page, "Add On call", "on_call.md");
        await editor.shows("Alerts go to whoever is on call");
        assert.equal(await page.locator(".monaco-diff-editor").count(), 0, "what is new is no difference");
        await picture("addition");
        await openBy(page, "Still true? access tokens", "access_tokens.md");
        await editor.shows("Review: Access tokens");
        await editor.shows("Access tokens are signed with RS256");
        await picture("confirm");
      });

      await step("several are decided by keyboard, and undone from the history", async () => {
        const chosen = async (text) => (await row(page, text).getAttribute("aria-selected")) === "true";
        const written = () => entries(folder).filter((path) => path.startsWith("operations/alerts/") && !path.endsWith("context.md")).length;
        await eventually("both entries", async () => { // a list that is drawn anew swallows clicks and keys
          if (await row(page, "Add On call").count()) {
            await row(page, "Add On call").click();
            await row(page, "Add Quiet hours").click({ modifiers: ["Control"] });
            if (!(await chosen("Add On call")) || !(await chosen("Add Quiet hours"))) return undefined;
            await page.keyboard.press("Control+Enter");
            await row(page, "Add On call").waitFor({ state: "detached", timeout: 10_000 }).catch(() => undefined);
          }
          return written() === 2 || undefined;
        });
        await open(page, "History");
        const past = row(page, "Approved quiet hours");
        await past.waitFor();
        await picture("reviews");
        let clicked = 0;
        await eventually("one entry", async () => {
          if (written() === 2 && Date.now() - clicked > 10_000) {
            await past.hover();
            await past.getByRole("button", { name: "Undo a change of the tree" }).click({ timeout: 3000 }).catch(() => undefined);
            clicked = Date.now();
          }
          return written() === 1 || undefined;
        });
      });

      await step("still true is one click, and taken back by another", async () => {
        await editor.open("src/auth/tokens.ts");
        await editor.goTo(folder, "src/auth/tokens.ts", "issueTokens(user", 3);
        await editor.hover(/still true/);
        const path = join(folder, tree, "authentication/tokens/access_tokens.md");
        const before = readFileSync(path, "utf8");
        await page.locator(".monaco-hover:visible a", { hasText: "still true" }).first().click();
        await eventually("the confirmation", () => readFileSync(path, "utf8") !== before || undefined);
        await editor.press("onfirmed", "Undo");
        await eventually("the undo", () => readFileSync(path, "utf8") === before || undefined);
      });

      await step("who mends a stale entry is asked whether it is right now", async () => {
        await editor.open("access_tokens.md");
        await eventually("the confirmation", async () => { // a click on a toast that just came up is swallowed at times
          await typeAtEnd(page, "\n- Tokens are sealed with the tenant's key.");
          await page.keyboard.press("Control+s");
          await editor.press("was stale, and you changed it", "Yes, confirm it");
          return row(page, "Access tokens").getByText("stale").waitFor({ state: "detached", timeout: 10_000 }).then(() => true, () => undefined);
        });
      });
    });
  },

  async imported(run) {
    const notes = (folder) => {
      for (const [n, name] of ["deploys", "caches", "alerts", "queues", "backups", "certificates"].entries()) {
        for (const area of ["Infra", "Daily"]) {
          mkdirSync(join(dirname(folder), "notes", area), { recursive: true });
          writeFileSync(join(dirname(folder), "notes", area, `${name}.md`), `# ${area} ${name}\n\nRule ${n} about ${name} holds, as everybody agreed.\n`);
        }
      }
    };
    await run({ prepare: notes }, async ({ page, folder, url, remote }, step, picture) => {
      const editor = new Editor(page);
      const made = () => entries(folder).filter((path) => path.startsWith("notes/") && !path.endsWith("context.md"));
      const inList = () => page.evaluate(() => document.activeElement?.closest(".pane") !== null);
      await page.goto(url([["openFile", remote(join(folder, "src/auth/tokens.ts"))]]), { waitUntil: "domcontentloaded" });

      await step("a folder of notes is looked at, and waits for its review folder by folder", async () => {
        await editor.shows("rotateRefreshToken", 3);
        await editor.command("View: Show Context");
        await row(page, "authentication").waitFor();
        await editor.command("brv: Import notes…");
        await page.locator(".quick-input-widget .quick-input-title", { hasText: "A folder of notes" }).waitFor();
        await editor.offered(".."); // of the folder that the dialog shows first
        await eventually("the folder of notes", async () => {
          await editor.input.fill(`${join(dirname(folder), "notes")}/`);
          return page.locator(".quick-input-list .monaco-list-row", { hasText: "Infra" }).first().waitFor({ timeout: 2000 }).then(() => true, () => undefined);
        });
        await page.locator(".quick-input-widget").getByRole("button", { name: "Look at these notes" }).click();
        const dialog = page.locator(".monaco-dialog-box");
        await dialog.getByText("Import 12 notes").waitFor();
        await dialog.getByText("Infra → notes/infra: 6").waitFor();
        await dialog.getByRole("button", { name: "Put them into Reviews" }).click();
        for (const hidden of ["Knowledge", "At this place"]) await page.locator(".pane-header", { hasText: hidden }).locator(".title").first().click();
        await row(page, "notes/daily").waitFor();
        await row(page, "notes/infra").waitFor();
        await editor.activeTab("brv-review");
        assert.deepEqual(made(), []);
      });

      await step("they are decided one after the other by keys, which stay in the list", async () => {
        await open(page, "notes/daily");
        await row(page, /^alerts/).click();
        assert.ok(await inList(), "a click");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        await editor.activeTab("backups.md");
        await picture("many");
        assert.ok(await inList(), "Enter");
        const decides = (count) => eventually(`${count} entries`, async () => { // a list that is drawn anew swallows a key
          await page.keyboard.press("Control+Enter");
          for (let waited = 0; waited < 100 && made().length < count; waited++) await new Promise((resolve) => setTimeout(resolve, 100));
          return made().length === count || undefined;
        });
        await decides(1);
        assert.match(made()[0], /backups/);
        await row(page, /^backups/).waitFor({ state: "detached" });
        assert.ok(await inList(), "after the decision");
        await page.locator(".pane .monaco-list-row.focused", { hasText: /^caches/ }).waitFor();
        await page.keyboard.press("Enter");
        await editor.activeTab("caches.md");
        await decides(2);
      });

      await step("a folder is decided at once, and the history names the notes", async () => {
        const infra = row(page, "notes/infra");
        await row(page, /^caches/).waitFor({ state: "detached" });
        await eventually("eight entries", async () => { // a list that is drawn anew swallows a click
          await page.mouse.move(900, 600); // the tip of another row goes, which may lie over this one
          await infra.hover({ timeout: 3000 }).catch(() => undefined);
          await infra.getByRole("button", { name: "Approve" }).click({ timeout: 3000 }).catch(() => undefined);
          for (let times = 0; times < 30 && made().length < 8; times++) await page.waitForTimeout(100);
          return made().length === 8 || undefined;
        });
        await infra.waitFor({ state: "detached" });
        await open(page, "History");
        const past = row(page, /Approved alerts, backups and 4 more/);
        await past.waitFor();
      });
    });
  },

  async asking(run) {
    await run({ prepare: drifted }, async ({ page, folder, url, remote }, step, picture) => {
      const editor = new Editor(page);
      const ask = (question) => editor.command("brv: Ask the team's knowledge").then(() => editor.answer("Ask the team's knowledge", question));
      const over = (name) => page.locator(".editor-group-container.active .editor-actions").getByRole("button", { name });
      await page.goto(url([["openFile", remote(join(folder, "src/auth/tokens.ts"))]]), { waitUntil: "domcontentloaded" });

      await step("a follow-up begins with the question in front, and what was asked before is asked again", async () => {
        await editor.shows("rotateRefreshToken", 3);
        await ask("How long do access tokens live?");
        await (await preview(page, /fifteen minutes/)).getByText("Sources").waitFor();
        await over("Ask a follow-up question").click();
        await eventually("the question before", async () => (await editor.input.inputValue()) === "How long do access tokens live, " || undefined);
        await editor.answer("Follow up", "How long do access tokens live, and who signs them?");
        await editor.activeTab("and who signs them?");
        await (await preview(page, /who signs them/)).getByText("Sources").waitFor();
        await over("Questions asked before").click();
        await editor.choose("How long do access tokens live?");
        await editor.activeTab(/^How long do access tokens live\?$/);
        await preview(page, /fifteen minutes/);
      });

      await step("what is not covered says so on its page, which leads to writing it down", async () => {
        await ask("Which volcano erupted in Iceland yesterday?");
        await editor.activeTab("Which volcano erupted");
        const shown = await preview(page, /do not cover this/);
        await accessible(page, dir);
        await picture("uncovered");
        await shown.getByRole("link", { name: "Write it down" }).click();
        await page.locator(".quick-input-widget .quick-input-title", { hasText: "volcano" }).waitFor();
        await page.keyboard.press("Escape");
      });

      await step("over the page of the status stand no buttons of answers", async () => {
        await editor.command("brv: Show status of the context tree");
        await (await preview(page, /stale entries\s+1/)).getByText("The folder is trusted").waitFor();
        assert.equal(await over("Ask a follow-up question").count(), 0);
      });
    });
  },

  async knowledge(run) {
    const prepare = (folder) => {
      writeFileSync(join(folder, tree, "authentication/tokens/abuse.md"), "---\ntitle: Abuse of tokens\nsummary: Whom to tell.\n---\n## Facts\n- Abuse is told to the security desk\n");
      drifted(folder);
    };
    await run({ prepare }, async ({ page, folder, url, remote }, step) => {
      const editor = new Editor(page);
      const hold = (...more) => execFileSync(server, ["curate", "--hold", "all", "--reason", "tried", ...more], { cwd: folder, stdio: "ignore" });
      await page.goto(url([["openFile", remote(join(folder, "src/auth/tokens.ts"))]]), { waitUntil: "domcontentloaded" });

      await step("the knowledge is ordered by name, or what is stale first", async () => {
        await editor.shows("rotateRefreshToken", 3);
        await editor.command("View: Show Context");
        await open(page, "authentication");
        await open(page, "tokens");
        const above = async (one, other) => (await row(page, one).boundingBox()).y < (await row(page, other).boundingBox()).y || undefined;
        await row(page, "Access tokens").getByText("stale").waitFor();
        await eventually("by name", () => above("Abuse of tokens", "Access tokens"));
        await editor.command("brv: Order the knowledge");
        await editor.choose("Stale first");
        await eventually("what is stale first", () => above("Access tokens", "Abuse of tokens"));
        await editor.command("brv: Order the knowledge");
        await editor.choose("By name");
        await eventually("by name again", () => above("Abuse of tokens", "Access tokens"));
      });

      await step("an entry opens beside its code by keys", async () => {
        await openBy(page, "Access tokens", "access_tokens.md");
        await page.keyboard.press("Escape");
        await row(page, "Access tokens").click();
        await page.keyboard.press("Control+Enter");
        const group = (n) => page.locator(".editor-group-container").nth(n).locator(".tab.active");
        await group(1).filter({ hasText: "access_tokens.md" }).waitFor();
        await group(0).filter({ hasText: "tokens.ts" }).waitFor();
      });

      await step("an entry is archived by its key, and comes back", async () => {
        const there = () => entries(folder).includes("authentication/tokens/abuse.md");
        await openBy(page, "Abuse of tokens", "abuse.md");
        const dialog = page.locator(".monaco-dialog-box", { hasText: "Archive “Abuse of tokens”?" });
        await eventually("it is asked", async () => { // a list that is drawn anew swallows a click
          await row(page, "Abuse of tokens").click({ timeout: 3000 }).catch(() => undefined);
          await page.keyboard.press("Delete");
          return dialog.waitFor({ timeout: 3000 }).then(() => true, () => undefined);
        });
        await dialog.getByRole("button", { name: "Archive" }).click();
        await eventually("it is put away", () => !there() || undefined);
        await editor.press("rchived", "Undo");
        await eventually("it is back", () => there() || undefined);
        await row(page, "Abuse of tokens").waitFor();
      });

      await step("a badge counts what waits, and Delete rejects it", async () => {
        hold("--op", "ADD", "--path", "operations/alerts", "--title", "On call", "--highlights", "Alerts go to whoever is on call.");
        hold("--op", "ADD", "--path", "operations/alerts", "--title", "Quiet hours", "--highlights", "Nobody is woken for staging.");
        const badge = page.locator(".activitybar .action-item", { has: page.locator('[aria-label^="Context"]') }).first().locator(".badge-content");
        await badge.filter({ hasText: /^2$/ }).waitFor();
        const reason = page.locator(".quick-input-widget:visible .quick-input-title", { hasText: "Reject" });
        await eventually("it is asked why", async () => { // a list that is drawn anew swallows a click
          await row(page, "Add On call").click({ timeout: 3000 }).catch(() => undefined);
          await page.keyboard.press("Delete");
          return reason.waitFor({ timeout: 3000 }).then(() => true, () => undefined);
        });
        await editor.answer("Reject", "nobody is on call");
        await row(page, "Add On call").waitFor({ state: "detached" });
        await badge.filter({ hasText: /^1$/ }).waitFor();
        assert.deepEqual(entries(folder).filter((path) => path.startsWith("operations/")), []);
      });

      await step("Tab goes from a draft's title to its summary and its text", async () => {
        await editor.open("src/auth/tokens.ts");
        await editor.goTo(folder, "src/auth/tokens.ts", "await revokeFamily", 8);
        await editor.command("brv: Write down what the next person should know");
        await editor.answer("What should the next person know?", "A family is revoked at once.");
        await page.locator(".quick-input-widget .quick-input-title", { hasText: "belong?" }).waitFor();
        await page.keyboard.press("Escape");
        await editor.command("brv: Write down what the next person should know");
        await page.locator(".quick-input-widget .quick-input-title", { hasText: "What should the next person know?" }).waitFor();
        assert.equal(await editor.input.inputValue(), "A family is revoked at once.", "what was typed is still there");
        await editor.answer("What should the next person know?", "A family is revoked at once.");
        await editor.takeFirst("authentication/tokens");
        await editor.activeTab("a_family_is_revoked");
        await editor.shows("src/auth/tokens.ts:");
        for (const text of ["Revocation by family", "All tokens of a family go.", "Whoever reuses a token loses the family."]) {
          await page.keyboard.type(text);
          await page.keyboard.press("Tab");
        }
        await editor.save();
        const made = await eventually("the entry", () => entries(folder).find((path) => path.includes("a_family_is_revoked")));
        const text = await eventually("its text", () => readFileSync(join(folder, tree, made), "utf8") || undefined);
        assert.match(text, /^title: Revocation by family$/m);
        assert.match(text, /^summary: All tokens of a family go\.$/m);
        assert.match(text, /^- Whoever reuses a token loses the family\.$/m);
        await row(page, "Revocation by family").waitFor();
        await typeAtEnd(page, "");
        await page.keyboard.press("Control+Home");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("End");
        await page.keyboard.type(" of tokens");
        await page.keyboard.press("Control+s");
        await row(page, "Revocation by family of tokens").waitFor();
      });
    });
  },

  async graph(run) {
    await run({ prepare: drifted }, async ({ page, folder, url, remote }, step, picture) => {
      const editor = new Editor(page);
      await page.goto(url([["openFile", remote(join(folder, "src/auth/tokens.ts"))]]), { waitUntil: "domcontentloaded" });

      await step("the graph of what is known is walked by keyboard, and Enter opens the entry", async () => {
        await editor.shows("rotateRefreshToken", 3);
        await editor.command("brv: Show the knowledge graph");
        const graph = await drawing(page, "svg.graph");
        const chosen = graph.locator(".nodes > a:focus > title");
        await eventually("one is chosen", async () => {
          await page.keyboard.press("ArrowDown");
          return (await chosen.count()) || undefined;
        });
        await accessible(page, dir);
        await picture("graph");
        assert.ok((await graph.locator(".nodes > a.far").count()) > 0, "what is not joined to it steps back");
        await graph.locator("#find").fill("refresh token rotation");
        await graph.locator("#find").press("Enter");
        assert.match(await chosen.textContent(), /^Refresh token rotation\n/);
        await eventually("another entry is chosen", async () => {
          for (const way of ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"]) {
            await page.keyboard.press(way);
            if (/^(?!Refresh token rotation).*\nentry /.test(await chosen.textContent())) return true;
          }
          return undefined;
        });
        const name = /\nentry .*?([^/\n]+\.md)/.exec(await chosen.textContent())[1];
        assert.ok((await graph.locator("#says").textContent()).includes(name));
        await page.keyboard.press("Enter");
        await editor.activeTab(name);
        await editor.command("brv: Show the knowledge graph");
        await editor.activeTab("Knowledge graph");
        assert.equal(await page.locator(".tab", { hasText: "Knowledge graph" }).count(), 1, "it is brought to the front");
      });
    });
  },

  async walkthrough(run) {
    await run({ prepare: outdated }, async ({ page, url }, step, picture) => {
      const editor = new Editor(page);
      await page.goto(url([]), { waitUntil: "domcontentloaded" });
      await step("the walkthrough says in six steps how it works, and each can be read by a screen reader", async () => {
        await editor.command("Welcome: Open Walkthrough...");
        await editor.choose("Get to know brv");
        await page.keyboard.press("Control+b"); // beside the side bar there is no room for what stands beside the steps
        const pictured = () => eventually("the step's picture", async () => {
          for (const frame of page.frames()) {
            if (await frame.evaluate(() => [...document.images].some((one) => one.naturalWidth > 0 && one.alt !== "")).catch(() => false)) return true;
          }
          return undefined;
        });
        await pictured(); // of the step that is open at first: a picture that is asked for while the workbench makes its frame stays broken
        for (const title of ["Ask why", "Write one sentence down", "Trust the folder", "Give it to your agent", "See what is known", "Find what is out of date"]) {
          await page.locator(".getting-started-step", { hasText: title }).first().click();
          await page.locator(".getting-started-step.expanded", { hasText: title }).waitFor();
          await pictured();
          await accessible(page, dir);
        }
        await picture("walkthrough");
      });

      await step("its first step lists what documents name that is gone, with a link to the line", async () => {
        await page.locator(".getting-started-step.expanded").getByRole("button", { name: "Check documents and entries" }).click();
        const shown = await preview(page, /limits\.ts/);
        await accessible(page, dir);
        await picture("check");
        await shown.getByRole("link", { name: "docs/limits.md:3" }).click();
        await editor.activeTab("limits.md");
      });
    });
  },

  /** What a person sees in the first minute, as frames of the recording; without RECORD nobody looks at it. */
  async first(run) {
    if (record === undefined) return;
    const more = { "workbench.colorTheme": "Light Modern", "window.autoDetectColorScheme": false };
    await run({ prepare: outdated, more, viewport: { width: 1120, height: 700 } }, async ({ page, folder, url }, step) => {
      const editor = new Editor(page);
      let frames = 0;
      const frame = async () => {
        await page.locator(".notification-toast").waitFor({ state: "detached", timeout: 15_000 }).catch(() => undefined);
        await page.waitForTimeout(700);
        await keep(page, join(record, `${frames++}.png`), await page.screenshot({ animations: "disabled", caret: "hide" }));
      };
      await page.goto(url([]), { waitUntil: "domcontentloaded" });

      await step("the walkthrough checks the documents, and a finding leads to its line", async () => {
        await editor.command("Welcome: Open Walkthrough...");
        await editor.choose("Get to know brv");
        await page.locator(".getting-started-step.expanded", { hasText: "Find what is out of date" }).waitFor();
        await frame();
        await page.locator(".getting-started-step.expanded").getByRole("button", { name: "Check documents and entries" }).click();
        const shown = await preview(page, /limits\.ts/);
        await frame();
        await shown.getByRole("link", { name: "docs/limits.md:3" }).click();
        await editor.activeTab("limits.md");
        await editor.shows("How many tokens");
        await frame();
      });

      await step("a question is asked", async () => {
        await editor.command("brv: Ask the team's knowledge");
        await page.locator(".quick-input-widget .quick-input-title", { hasText: "Ask the team's knowledge" }).waitFor();
        await editor.input.fill("Why is a refresh token used only once?");
        await frame();
        await editor.answer("Ask the team's knowledge", "Why is a refresh token used only once?");
        await (await preview(page, /single use/)).getByText("Sources").waitFor();
        await frame();
      });

      await step("one sentence is written down, and stands in the hover", async () => {
        await editor.open("src/auth/quota.ts");
        await editor.goTo(folder, "src/auth/quota.ts", "mostTokens", 3);
        await editor.command("brv: Write down what the next person should know");
        await page.locator(".quick-input-widget .quick-input-title", { hasText: "What should the next person know?" }).waitFor();
        await editor.input.fill("Five tokens, because support plans have five seats");
        await frame();
        await editor.answer("What should the next person know?", "Five tokens, because support plans have five seats");
        await editor.takeFirst("authentication/");
        await editor.activeTab("five_tokens");
        await page.keyboard.press("Escape");
        await frame();
        await editor.save();
        await editor.command("View: Close All Editors");
        await editor.command("View: Show Context");
        await editor.open("src/auth/quota.ts");
        await editor.goTo(folder, "src/auth/quota.ts", "mostTokens", 3);
        await editor.hover(/five seats/);
        await frame();
      });
    });
  },

  async themes(run) {
    for (const [name, [theme, look]] of Object.entries(themes)) {
      if (screens !== undefined && name !== "contrast") continue; // the other two are those of every screen
      await run({ prepare: drifted, more: { "workbench.colorTheme": theme, "workbench.preferredDarkColorTheme": theme, "workbench.preferredLightColorTheme": name === "contrast" ? `${theme} Light` : theme } }, async ({ page, folder, url, remote }, step, picture) => {
        const editor = new Editor(page);
        await page.goto(url([["openFile", remote(join(folder, "src/auth/tokens.ts"))]]), { waitUntil: "domcontentloaded" });
        await step(`the views and the hover are there in the theme ${theme}`, async () => {
          await editor.shows("rotateRefreshToken");
          await page.locator(`.monaco-workbench.${look}`).waitFor();
          await editor.command("View: Show Context");
          await open(page, "authentication");
          await open(page, "tokens");
          await page.locator(".codelens-decoration", { hasText: "Access tokens · stale" }).first().waitFor();
          await editor.goTo(folder, "src/auth/tokens.ts", "issueTokens(user", 3);
          await editor.hover(/still true/);
          await accessible(page, dir);
          if (name === "contrast") await picture("contrast");
        });
      });
    }
  },

  async none(run) {
    await run({ prepare: (folder) => void rmSync(join(folder, ".brv"), { recursive: true }) }, async ({ page, folder, url, remote }, step, picture) => {
      const editor = new Editor(page);
      await page.goto(url([["openFile", remote(join(folder, "src/auth/signing.ts"))]]), { waitUntil: "domcontentloaded" });

      await step("a document opens where it names what was chosen before", async () => {
        await editor.shows("Claims");
        await editor.command("brv: Show the knowledge graph");
        const graph = await drawing(page, "svg.graph");
        const node = (title) => graph.locator(".nodes > a", { has: graph.locator("title", { hasText: title }) }).first();
        await node(/^signing\.ts/).focus();
        await node(/^Signing/).focus();
        await graph.locator("#says", { hasText: /^Signing.*links to \d+/ }).waitFor();
        await page.keyboard.press("Enter");
        await editor.activeTab("signing.md");
        await page.locator(".statusbar-item", { hasText: "Ln 3, Col 1" }).waitFor();
        await editor.command("View: Close All Editors"); // the column beside, too
        await editor.open("src/auth/signing.ts");
      });

      await step("a folder without a tree shows its documents, and starts one", async () => {
        await editor.shows("Claims");
        await editor.command("View: Show Context");
        await row(page, "Start a context tree").waitFor();
        await open(page, /^Documents/);
        await row(page, "Signing").waitFor();
        await picture("none");
        await page.locator(".statusbar-item", { hasText: "brv" }).first().click();
        await editor.offered("Start a context tree");
        await page.keyboard.press("Escape");
        await row(page, "Start a context tree").click();
        const dialog = page.locator(".monaco-dialog-box", { hasText: ".brv/context-tree" });
        await dialog.getByRole("button", { name: "Cancel" }).click();
        await dialog.waitFor({ state: "detached" });
        assert.ok(!readdirSync(folder).includes(".brv"), "nothing is written without a yes");
        await row(page, "Start a context tree").click();
        await dialog.getByRole("button", { name: "Start" }).click();
        await page.locator(".pane-header", { hasText: "Reviews" }).waitFor();
        await row(page, "Start a context tree").waitFor({ state: "detached" });
        await eventually("the tree", () => readdirSync(join(folder, ".brv")).includes("context-tree") || undefined);
      });

      await step("and the first sentence is kept in it", async () => {
        await editor.open("src/auth/signing.ts");
        await editor.goTo(folder, "src/auth/signing.ts", "Claims");
        await editor.command("brv: Write down what the next person should know");
        await editor.answer("What should the next person know?", "Claims never hold an address");
        await editor.takeFirst("auth/signing");
        await editor.activeTab("claims_never");
        await page.keyboard.press("Escape");
        await editor.save();
        await row(page, "auth").waitFor();
        await page.locator(".tab", { hasText: "signing.ts" }).first().click();
        await editor.activeTab("signing.ts");
        await editor.goTo(folder, "src/auth/signing.ts", "Claims");
        assert.match(await editor.hover(/Claims never hold an address/), /./);
      });
    });
  },

  async several(run) {
    const prepare = (folder) => {
      const other = join(dirname(folder), "billing");
      mkdirSync(join(other, tree, "money/invoices"), { recursive: true });
      writeFileSync(join(other, tree, "money/invoices/rounding.md"), "---\ntitle: Rounding\n---\n## Facts\n- Invoices are rounded per line, never in sum\n");
      const file = join(dirname(folder), "both.code-workspace");
      writeFileSync(file, JSON.stringify({ folders: [{ path: folder }, { path: other }] }));
      return file;
    };
    await run({ prepare }, async ({ page, url }, step, picture) => {
      const editor = new Editor(page);
      await page.goto(url([]), { waitUntil: "domcontentloaded" });

      await step("with several folders it is asked which one is meant", async () => {
        await editor.command("View: Show Context");
        await row(page, "billing").waitFor();
        await open(page, "money");
        await editor.command("brv: Ask the team's knowledge");
        await editor.choose("billing");
        await editor.answer("Ask the team's knowledge", "How are invoices rounded?");
        await (await preview(page)).getByText("rounded per line").first().waitFor();
        await page.locator(".tab.active", { hasText: "billing: How are invoices rounded" }).waitFor();
      });
    });
  },

  /** The person's own tree and a team's, beside that of the repository. */
  async trees(run) {
    const home = mkdtempSync(join(tmpdir(), "brv-trees-"));
    const environ = { XDG_CONFIG_HOME: join(home, "config") };
    const brv = (cwd, ...args) => execFileSync(server, args, { cwd, env: { ...process.env, ...environ }, encoding: "utf8" });
    const team = join(home, "team");
    const relations = join(tree, "authentication/tokens/abroad.md");
    const prepare = (folder) => {
      mkdirSync(join(team, tree, "money/rates"), { recursive: true });
      writeFileSync(join(team, tree, "money/rates/exchange.md"), "---\ntitle: Exchange rates\nsummary: Six digits.\n---\n## Facts\n- Exchange rates have six digits\n");
      brv(folder, "tree", "add", "team", team);
      brv(folder, "tree", "add", "me");
      brv(folder, "curate", "--op", "ADD", "--path", "me:notes/rates", "--title", "Where rates are", "--summary", "The table of rates is on the second page.", "--reason", "found");
      writeFileSync(join(folder, relations), "---\ntitle: Abroad\n---\nRates are as in @team:money/rates/exchange.md and @team:money/rates/gone.md, found by @me:notes/rates/where_rates_are.md.\n");
    };
    await run({ prepare, environ }, async ({ page, folder, url, remote }, step, picture) => {
      const editor = new Editor(page);
      await page.goto(url([["openFile", remote(join(folder, relations))]]), { waitUntil: "domcontentloaded" });

      await step("a relation into another tree has a hover, and leads there", async () => {
        await editor.shows("Rates are as in");
        await page.locator(".squiggly-warning").first().waitFor(); // of the one that leads nowhere
        await editor.goTo(folder, relations, "@team:money/rates/exchange", 4);
        assert.match(await editor.hover(/Exchange rates/), /team:money\/rates/);
        await picture("trees-hover");
        await page.keyboard.press("Escape");
        await page.keyboard.press("F12");
        await editor.activeTab("exchange.md");
        await editor.open(relations.split("/").at(-1));
        await editor.goTo(folder, relations, "@me:notes", 4);
        await page.keyboard.press("F12");
        await editor.activeTab("where_rates_are.md");
      });

      await step("answers and packs say whose tree it is", async () => {
        await editor.command("brv: Ask the team's knowledge");
        await editor.answer("Ask the team's knowledge", "How many digits do exchange rates have?");
        await (await preview(page, /six digits/)).getByText("team:money/rates/exchange.md").first().waitFor();
        await picture("trees-answer");
        await editor.command("brv: Pack context for a task");
        await editor.answer("Pack context for a task", "Round exchange rates to six digits");
        await page.locator(".pane .monaco-list-row[aria-label*=' tokens']", { hasText: "Exchange rates" }).getByText(/team/).waitFor();
        await picture("trees-pack");
      });

      for (const [name, made] of [["me", "notes"], ["team", "held"]]) {
        await step(`a sentence is written down in the tree ${name}`, async () => {
          await editor.open("abroad.md");
          await editor.goTo(folder, relations, "Rates are");
          await editor.command("brv: Write down what the next person should know");
          await editor.answer("What should the next person know?", `Rates of ${name} are looked up at noon`);
          await editor.offered(`${name}:`);
          await picture(`choose-${name}`);
          await editor.choose(`${name}:`);
          const listed = () => (made === "held" ? brv(folder, "review", "--tree", name) : brv(folder, "query", "when are rates of me looked up"));
          await eventually("what was written", () => (/noon/.test(listed()) || undefined));
          if (made !== "held") await row(page, `${name}:authentication`).waitFor();
        });
      }
    });
    rmSync(home, { recursive: true, force: true });
  },

  async pack(run) {
    await run({ prepare: drifted }, async ({ page, folder, url, remote }, step, picture) => {
      const editor = new Editor(page);
      const rows = page.locator(".pane .monaco-list-row");
      const meter = page.locator(".monaco-list-row[aria-label*='Budget:']").first();
      const used = async () => Number(/Budget: (\d+) of/.exec((await meter.getAttribute("aria-label")) ?? "")?.[1]);
      const inPack = (text) => page.locator(".pane .monaco-list-row[aria-label*=' tokens']", { hasText: text }).first();
      const act = async (shown, name) => {
        await shown.hover();
        await shown.getByRole("button", { name }).click();
      };
      await page.goto(url([["openFile", remote(join(folder, "src/auth/tokens.ts"))]]), { waitUntil: "domcontentloaded" });

      await step("a pack's items are listed with their tokens, and open where they stand", async () => {
        await editor.shows("rotateRefreshToken", 3);
        await editor.command("brv: Pack context for a task");
        await editor.answer("Pack context for a task", "Limit refresh tokens to one device in rotateRefreshToken");
        await inPack("Refresh token rotation").waitFor();
        for (const hidden of ["Knowledge", "Reviews", "At this place"]) {
          const header = page.locator(".pane-header", { hasText: hidden }).first();
          if ((await header.getAttribute("aria-expanded")) === "true") await header.locator(".title").click();
        }
        await inPack("tokens.ts").waitFor();
        assert.ok((await used()) > 0);
        await accessible(page, dir);
        await picture("pack");
        await inPack("Refresh token rotation").click();
        await editor.activeTab("refresh_rotation.md");
      });

      await step("what is dropped is gone and comes back, what is pinned stays", async () => {
        await act(inPack("Refresh token rotation"), "Drop from the pack");
        await row(page, "Dropped").waitFor();
        await inPack("Refresh token rotation").waitFor({ state: "detached" });
        await act(rows.filter({ hasText: "refresh_rotation" }).first(), "Add to the pack again");
        await inPack("Refresh token rotation").waitFor();
        await inPack("Refresh token rotation").focus();
        await inPack("Refresh token rotation").click();
        await inPack("Refresh token rotation").press("Control+Enter");
        await inPack("Refresh token rotation").getByText(/pinned/).waitFor();
      });

      await step("an entry, a section and a symbol are added by typing", async () => {
        await inPack("Refresh token rotation").click(); // with a row chosen, which the title's button is handed
        const plus = page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Pack" }) }).getByRole("button", { name: "Add to the pack" });
        for (const [text, offered, shown] of [["online migrations", "migrations", "Online migrations"], ["signing payload", "Payload", "Payload"], ["revokeFamily", "revokeFamily", "."]]) {
          await (text === "online migrations" ? plus.click() : editor.command("brv: Add to the pack"));
          await page.locator(".quick-input-widget .quick-input-title", { hasText: "Add to the pack" }).waitFor();
          await editor.input.fill(text);
          await editor.choose(offered);
          await inPack(shown).getByText(/pinned/).waitFor();
        }
      });

      await step("the budget is changed and kept", async () => {
        await editor.command("brv: Change the budget of the pack");
        await editor.answer("Budget of the pack", "600");
        await page.locator(".monaco-list-row[aria-label*='of 600 tokens']").waitFor();
        assert.ok((await used()) <= 600);
        await inPack("Refresh token rotation").getByText(/pinned/).waitFor();
        await editor.command("brv: Change the budget of the pack");
        await editor.answer("Budget of the pack", "6000");
        await page.locator(".monaco-list-row[aria-label*='of 6000 tokens']").waitFor();
      });

      await step("more of the task is said, and the pack's text follows", async () => {
        await editor.command("brv: Describe the task of the pack");
        await editor.answer("Describe the task further", "Limit refresh tokens to one device in rotateRefreshToken, and take down sessions that are older");
        await row(page, "and take down sessions").waitFor();
        await inPack("Refresh token rotation").getByText(/pinned/).waitFor();
        await editor.command("brv: Show the text of the pack");
        await editor.activeTab("Limit refresh tokens");
        await editor.shows("Refresh token rotation");
      });

      await step("what was chosen survives a reload of the window", async () => {
        await act(inPack("Online migrations"), "Drop from the pack");
        await row(page, "Dropped").waitFor();
        await page.reload({ waitUntil: "domcontentloaded" });
        await editor.shows("rotateRefreshToken", 3);
        await editor.command("Context: Focus on Pack View");
        await page.locator(".monaco-list-row[aria-label*='of 6000 tokens']").waitFor();
        await inPack("Refresh token rotation").getByText(/pinned/).waitFor();
        await row(page, "and take down sessions").waitFor();
        await row(page, "Dropped").waitFor();
        await rows.filter({ hasText: "online_migrations" }).waitFor();
      });

      await step("it is copied and saved", async () => {
        await editor.command("brv: Copy the pack");
        await page.locator(".statusbar-item", { hasText: /copied [\d,]+ tokens/ }).waitFor();
        await editor.command("brv: Save the pack");
        await eventually("the path offered", async () => (await editor.input.inputValue()).endsWith("pack.md") || undefined);
        await page.locator(".quick-input-widget").getByRole("button", { name: "OK" }).click();
        const text = await eventually("the file", () => { try { return readFileSync(join(folder, "pack.md"), "utf8") || undefined; } catch { return undefined; } }); // made, then written
        assert.match(text, /Refresh token rotation/);
      });
    });
  },

  async untrusted(run) {
    await run({ prepare: drifted, trust: true, more: { "security.workspace.trust.startupPrompt": "never", "security.workspace.trust.banner": "never" } }, async ({ page, folder, url, remote }, step, picture) => {
      const editor = new Editor(page);
      await page.goto(url([["openFile", remote(join(folder, "src/auth/tokens.ts"))]]), { waitUntil: "domcontentloaded" });
      await step("where the folder is not trusted the view says once what that hides", async () => {
        await editor.shows("rotateRefreshToken", 3);
        await editor.command("View: Show Context");
        await row(page, "Show stale entries").getByText("needs trust").waitFor();
        await picture("untrusted");
      });
    });
  },
};

for (const [name, named] of Object.entries(sessions)) {
  if (!new RegExp(process.env.ONLY ?? "").test(name)) continue;
  await named(({ more, ...options }, work) => session(name, { dir, vsix, ...options, more: { ...(gallery ?? screens) && following, ...more } }, async (workbench, step) => {
    const shots = [];
    await workbench.page.emulateMedia({ colorScheme: "dark" });
    await work(workbench, step, (shot, again) => take(workbench.page, shot, again, shots));
    for (const [path, png] of shots) await keep(workbench.page, path, png);
  }));
}
finish();

/** Takes what the window shows in both looks, and with SCREENS in both widths; again brings back what a change of them closes. */
async function take(page, shot, again, shots) {
  if (gallery === undefined && screens === undefined) return;
  await page.locator(".notification-toast").waitFor({ state: "detached", timeout: 15_000 }).catch(() => undefined); // it hides what is shown
  for (const width of screens === undefined ? [1280] : [900, 1280]) {
    for (const look of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: look });
      await page.setViewportSize({ width, height: 800 });
      await page.locator(look === "light" ? ".monaco-workbench:is(.vs, .hc-light)" : ".monaco-workbench:is(.vs-dark, .hc-black)").first().waitFor();
      await again?.();
      await page.waitForTimeout(700); // the window is drawn anew
      const png = await page.screenshot({ animations: "disabled", caret: "hide" });
      if (screens !== undefined) await keep(page, join(screens, `${shot}-${width}-${look}.png`), png);
      if (gallery !== undefined && width === 1280 && galleryPage.includes(`editor/${shot}-${look}.webp`)) shots.push([join(gallery, `${shot}-${look}.webp`), png]);
    }
  }
}

/** Writes a picture; the small one is made in the browser, which leaves the page. */
async function keep(page, path, png) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, path.endsWith(".png") ? png : await webp(page, png));
}

/** A picture as the browser makes it small, which leaves the page. */
async function webp(page, png) {
  if (page.url() !== "about:blank") await page.goto("about:blank");
  return Buffer.from(await page.evaluate(async (given) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${given}`)).blob());
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width * 0.8, height: image.height * 0.8 });
    const drawn = Object.assign(canvas.getContext("2d"), { imageSmoothingQuality: "high" });
    drawn.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/webp", 0.75).split(",")[1];
  }, png.toString("base64")), "base64");
}

/** A row of a view in the side bar. */
function row(page, text) {
  return page.locator(".pane .monaco-list-row", { hasText: text }).first();
}

/** Clicks a row until what it opens is in front: a list that is drawn anew swallows a click. */
function openBy(page, text, tab) {
  const front = page.locator(".tab.active", { hasText: tab }).first();
  return eventually(`${tab} in front`, async () => {
    await row(page, text).click({ timeout: 3000 }).catch(() => undefined);
    return front.waitFor({ timeout: 3000 }).then(() => true, () => undefined);
  });
}

/** Opens a row that is closed. */
async function open(page, text) {
  const closed = page.locator(".pane .monaco-list-row[aria-expanded]").filter({ hasText: text }).first(); // no leaf of another pane
  await closed.waitFor();
  await eventually("the row is open", async () => { // a list that is drawn anew swallows a click
    if ((await closed.getAttribute("aria-expanded")) === "true") return true;
    await closed.locator(".monaco-tl-twistie").click({ timeout: 3000 }).catch(() => undefined);
    await page.waitForTimeout(500);
    return (await closed.getAttribute("aria-expanded")) === "true" || undefined;
  });
}

/** Types behind the last line of the document in front. */
async function typeAtEnd(page, text) {
  await page.keyboard.press("Control+End");
  await page.keyboard.type(text);
}

/** What a page of Markdown shows, once that holds this. */
async function preview(page, text = /./) {
  return eventually(`a page with ${text}`, async () => {
    for (const frame of page.frames()) {
      if (await frame.locator(".markdown-body", { hasText: text }).count().catch(() => 0)) return frame;
    }
    return undefined;
  });
}

/** The frame of what is drawn, once it listens. */
async function drawing(page, drawn) {
  return eventually(drawn, async () => {
    for (const frame of page.frames()) {
      if (await frame.locator(`${drawn} [tabindex="0"]`).count().catch(() => 0)) return frame;
    }
    return undefined;
  });
}

/** Paths of the entries on disk. */
function entries(folder) {
  return readdirSync(join(folder, tree), { recursive: true }).filter((path) => path.endsWith(".md") && !path.endsWith("_index.md")).sort();
}
