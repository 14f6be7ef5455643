// ui.mjs WORKBENCH VSIX: installs the packaged extension and uses it the way a person does,
// with keyboard and mouse, looking at what the page shows.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Editor, eventually } from "./editor.mjs";
import { finish, session } from "./steps.mjs";

const [dir, vsix] = process.argv.slice(2);
const tree = ".brv/context-tree";
const rotation = `${tree}/authentication/tokens/refresh_rotation.md`;

/** What rules draft from: the message of a commit that says why. */
const why = {
  "src/auth/sessions.ts": ["Rows of a family stay", "An audit has to show who used which token and when, also long after the session of that user "
    + "has ended, because the law asks for it; so revoking marks rows and removes none."],
  "src/db/audit.ts": ["Who asked is written down", "An auditor has to see who asked for a token and when, because a question about a customer reads "
    + "personal data; so rows of the log are never changed, and leave the database with the year that they belong to."],
};

/** An entry that no hover shows whole: it is cut somewhere in a run of headings. */
const many = {
  "src/db/limits.ts": "export const rowsOfPage = 100;\n",
  [`${tree}/database/limits/pages.md`]: `---\ntitle: Pages\n---\n## Raw Concept\nIt is about \`rowsOfPage\`.\n## Narrative\n### Rules\n`
    + [...Array(8).keys()].map((n) => `- Rule ${n} holds\n`).join("") + [...Array(20).keys()].map((n) => `### Part ${n}\n`).join("") + "- The end\n",
};

const prepare = (folder) => {
  for (const [path, text] of Object.entries(many)) {
    const at = join(folder, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text + (existsSync(at) ? readFileSync(at, "utf8") : ""));
  }
};

await session("ui", { dir, vsix, prepare }, async (workbench, step) => {
  const { page, folder, url, remote } = workbench;
  await page.goto(url([["openFile", remote(join(folder, rotation))]]), { waitUntil: "domcontentloaded" });
  const editor = new Editor(page);

  await step("hover on a relation shows the entry it leads to", async () => {
    await editor.shows("Refresh token rotation");
    await editor.goTo(folder, rotation, "@authentication/tokens/access_tokens.md");
    assert.match(await editor.hover(/Short-lived RS256 tokens/), /Access tokens/);
  });

  await step("F12 on a relation opens the entry", async () => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("F12");
    await editor.activeTab("access_tokens.md");
    await editor.shows("Access tokens are signed with RS256");
  });

  await step("a rename that is refused is said, and the list stays as it is", async () => {
    await editor.open(rotation);
    const before = readFileSync(join(folder, rotation), "utf8");
    await editor.goTo(folder, rotation, '"authentication/sessions/revocation');
    await editor.rename("revocation.md"); // as it is called already
    await editor.goTo(folder, rotation, '"authentication/sessions/revocation');
    await editor.rename("elsewhere/revocation");
    await editor.notification("a new name cannot contain");
    for (const [place, why] of [['["refresh", "rotation"', "in the frontmatter, only the title"], ["## Raw Concept", "a heading of the entry format"]]) {
      await editor.goTo(folder, rotation, place);
      await page.keyboard.press("F2");
      await editor.notification(why);
      assert.equal(await editor.renameBox.isVisible(), false, place);
    }
    await editor.save();
    await eventually("the file as it was", () => readFileSync(join(folder, rotation), "utf8") === before || undefined); // saving empties it first
  });

  await step("hover on a code symbol shows the page that explains it", async () => {
    await editor.open("src/auth/signing.ts");
    await editor.goTo(folder, "src/auth/signing.ts", "Claims");
    await editor.hover(/docs\/signing\.md › Payload/);
    if (process.env.SHOT) await picture(page, process.env.SHOT);
  });

  await step("a hover that is cut ends in what stands under a heading", async () => {
    await editor.open("src/db/limits.ts");
    await editor.goTo(folder, "src/db/limits.ts", "rowsOfPage");
    assert.match((await editor.hover(/names rowsOfPage/)).trim(), /Rule 7 holds$/);
  });

  await step("hover on a code symbol shows the entry that names it", async () => {
    await editor.open("src/auth/tokens.ts");
    await editor.goTo(folder, "src/auth/tokens.ts", "rotateRefreshToken");
    assert.match(await editor.hover(/names rotateRefreshToken/), /Refresh token rotation/);
  });

  const before = new Set(entries(folder));
  const created = () => entries(folder).filter((path) => !before.has(path));

  await step("a curated selection is a draft that can be discarded", async () => {
    await curate(editor, folder);
    assert.deepEqual(created(), [], "nothing is written before the user saves");
    await page.locator(".tab.active .tab-actions .action-label").click();
    await page.locator(".monaco-dialog-box").getByRole("button", { name: "Don't Save" }).click();
    await editor.activeTab("tokens.ts");
    assert.deepEqual(created(), [], "nothing is written when it is closed");
  });

  await step("a saved draft is an entry that the server works in", async () => {
    await curate(editor, folder);
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("\nSee @authentication/tokens/access_tokens.md and @authentication/nowhere/all.md\n");
    await editor.shows("@authentication/nowhere/all.md");
    assert.deepEqual(created(), [], "nothing is written before the user saves");
    await editor.save();
    const path = await eventually("new entry", () => created()[0]);
    await eventually("its content", () => /Reuse ends[^]*@authentication\/nowhere/.test(readFileSync(join(folder, tree, path), "utf8")) || undefined);
    await editor.problem();
    await editor.goTo(folder, join(tree, path), "@authentication/tokens/access_tokens.md");
    assert.match(await editor.hover(/Short-lived RS256 tokens/), /Access tokens/);
  });

  await step("ask opens the answer, with its source", async () => {
    await editor.command("brv: Ask the team's knowledge");
    await editor.answer("Ask the team's knowledge", "How are refresh tokens rotated?");
    await editor.activeTab("How are refresh tokens rotated?");
  });

  await step("a question outside of the tree gets no invented answer", async () => {
    await editor.command("brv: Ask the team's knowledge");
    await editor.answer("Ask the team's knowledge", "Which volcano erupted in Iceland yesterday?");
    await editor.activeTab("Which volcano erupted");
  });

  await step("what another process proposes is listed, shown and approved", async () => {
    const server = join(import.meta.dirname, "../../bin/brv-lsp");
    const operation = ["--op", "ADD", "--path", "operations/alerts", "--title", "On call", "--reason", "tried", "--highlights", "Alerts go to whoever is on call."];
    execFileSync(server, ["curate", "--hold", "all", ...operation], { cwd: folder, stdio: "ignore" });
    await page.locator(".statusbar-item", { hasText: /brv.*1$/ }).waitFor();
    await editor.command("View: Show Context");
    await editor.row("Add On call").click();
    await editor.activeTab(".brv-review");
    await editor.shows("Alerts go to whoever is on call.");
    assert.deepEqual(created().filter((path) => path.includes("alerts")), [], "nothing is written before it is approved");
    await editor.titleAction("Approve");
    await eventually("the entry", () => created().find((path) => path.includes("alerts/on_call")));
    assert.match(await editor.notification("Created"), /operations\/alerts\/on_call\.md/);
    await editor.row("On call").waitFor({ state: "detached" });
  });

  await step("knowledge drafted from a commit waits for its review, and is edited before it is approved", async () => {
    const known = new Set(created());
    commit(folder, "Shop");
    await proposeCommit(editor, folder, "src/auth/sessions.ts");
    await editor.activeTab(".brv-review");
    assert.deepEqual(created().filter((path) => !known.has(path)), [], "nothing is written before it is approved");
    await editor.titleAction("Edit, then approve");
    await page.locator(".editor-actions").getByRole("button", { name: "Approve with these changes" }).first().waitFor();
    await page.locator(".editor-group-container.active .view-lines").first().click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("\nLooked at by a person.\n");
    await editor.titleAction("Approve with these changes");
    await eventually("the edited entry", () => entries(folder).find((path) => /Looked at by a person\./.test(readFileSync(join(folder, tree, path), "utf8"))));
  });

  await step("a dream that is skipped says why, and is dreamt anyway", async () => {
    await editor.command("brv: Dream");
    await editor.press("Dream skipped: Not enough changes", "Dream anyway");
    assert.match(await editor.notification("Dream completed"), /Dream completed: (\d+ (merged or linked|new|to archive)|nothing to merge)/);
  });

  await step("knowledge that may belong to several topics waits for one to be chosen", async () => {
    await proposeCommit(editor, folder, "src/db/audit.ts");
    await editor.offered("db/audit");
    await editor.choose("authentication/tokens");
    await editor.activeTab(".brv-review");
    await editor.shows("Who asked is written down");
    await editor.titleAction("Approve");
    await eventually("the entry in the chosen topic", () => created().find((path) => path.includes("authentication/tokens/who_asked")));
  });

  await step("of a commit it is said that only a model or an agent draws knowledge from it", async () => {
    appendFileSync(join(folder, "src/db/audit.ts"), "\n");
    commit(folder, "Blank line");
    await editor.command("brv: Propose knowledge from the changes");
    await editor.choose("A commit…");
    await editor.answer("Propose knowledge from the changes", "HEAD");
    await editor.notification("needs a model or an agent");
  });

  await step("a server that is not there is explained", async () => {
    mkdirSync(dirname(workbench.machineSettings), { recursive: true });
    writeFileSync(workbench.machineSettings, JSON.stringify({ "brv.server.path": "/nowhere/brv-lsp" }));
    assert.match(await editor.notification("not a program that can be run"), /\/nowhere\/brv-lsp/);
    const told = await page.locator(".notification-list-item").allInnerTexts();
    assert.equal(told.find((text) => /\n\s*at |[cm]?js:\d+/.test(text)), undefined, "a message holds a stack");
    await editor.press("not a program that can be run", "Open settings");
    await page.locator(".settings-editor .setting-item-contents", { hasText: "brv-lsp" }).first().waitFor();
  });
});
finish();

/** Commits all that the folder holds. */
function commit(folder, ...message) {
  const git = (...args) => execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args], { cwd: folder, stdio: "ignore" });
  git("init", "-q");
  git("add", "src");
  git("commit", "-q", ...message.flatMap((paragraph) => ["-m", paragraph]));
}

/** Curates two lines of code and waits for the draft, whose first line has the cursor. */
async function curate(editor, folder) {
  await editor.goTo(folder, "src/auth/tokens.ts", "    await revokeFamily", 0);
  for (let line = 0; line < 2; line++) await editor.page.keyboard.press("Shift+ArrowDown");
  await editor.codeAction("Write down what the next person should know");
  await editor.answer("What should the next person know?", "Reuse ends the family at once");
  await editor.takeFirst("authentication/tokens");
  await editor.activeTab("reuse_ends_the_family");
  await editor.shows("src/auth/tokens.ts:");
  await editor.page.keyboard.press("Escape");
}

/** Changes a file, commits that with the reason, and proposes knowledge from the commit. */
async function proposeCommit(editor, folder, path) {
  appendFileSync(join(folder, path), "\nexport const audited = true;\n");
  commit(folder, ...why[path]);
  await editor.command("brv: Propose knowledge from the changes");
  await editor.choose("A commit…");
  await editor.answer("Propose knowledge from the changes", "HEAD");
}

/** Paths of the entries on disk. */
function entries(folder) {
  return readdirSync(join(folder, tree), { recursive: true }).filter((path) => path.endsWith(".md"));
}
