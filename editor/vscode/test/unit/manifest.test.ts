import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { codeLanguages } from "../../src/selector.ts";

test("the extension starts for the languages that it serves", () => {
  const languages = manifest.activationEvents.flatMap((event) => event.match(/^onLanguage:(.*)/)?.[1] ?? []);
  assert.deepEqual(languages, codeLanguages);
});

test("the workspace cannot choose the server's program, nor which model gets what it asks, nor that work is done unasked", () => {
  const all = manifest.contributes.configuration.flatMap(({ properties }) => Object.entries<{ scope: string }>(properties));
  const settings = all.filter(([name]) => /^brv\.(server|model|dream)\./.test(name));
  assert.ok(settings.length > 0);
  assert.deepEqual(settings.filter(([, { scope }]) => scope !== "machine"), []);
});

test("every command has a place, and every place a command", () => {
  const { commands, menus } = manifest.contributes;
  const known = new Set(commands.map(({ command }) => command));
  const placed = Object.values(menus).flat().map(({ command }) => command);
  assert.deepEqual(placed.filter((command) => !known.has(command)), []);
  const hidden = menus.commandPalette.filter(({ when }) => when === "false").map(({ command }) => command);
  const elsewhere = Object.entries(menus).flatMap(([menu, items]) => (menu === "commandPalette" ? [] : items.map(({ command }) => command)));
  assert.deepEqual(hidden.filter((command) => !elsewhere.includes(command)), []);
});

test("the gallery page names commands that there are, and pictures that there are", () => {
  const page = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const titles = new Set(manifest.contributes.commands.map(({ title }) => title.replace(/…$/, "")));
  const named = [...page.matchAll(/\*\*brv: ([^*]+?)…?\*\*/g)].map(([, title]) => title!);
  assert.ok(named.length > 10);
  assert.deepEqual(named.filter((title) => !titles.has(title)), []);
  const pictures = [...page.matchAll(/!\[[^\]]+\]\(https:\/\/github\.com\/brv-lsp\/brv-lsp\/raw\/main\/(\S+)\)/g)].map(([, path]) => path!);
  assert.deepEqual([pictures.length, pictures.filter((path) => !existsSync(new URL(`../../../../${path}`, import.meta.url)))], [3, []]);
});

test("no command has the name of one of the server's, which the client registers too", () => {
  const text = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  const servers = new Set(text("../../../../docs/protocol.md").match(/\bbrv\.\w+/g));
  assert.ok(servers.has("brv.query") && servers.has("brv.showReferences"));
  const ours = ["extension", "curate", "status"].flatMap((name) => [...text(`../../src/${name}.ts`).matchAll(/(?:registerCommand\(|Command = )"(brv\.[\w.]+)"/g)].map(([, id]) => id ?? ""));
  assert.ok(manifest.contributes.commands.every(({ command }) => ours.includes(command)));
  assert.deepEqual(ours.filter((id) => servers.has(id)), []);
});

test("the status of the tree is offered where there is one, a check everywhere, and the buttons of answers over answers alone", () => {
  const { commandPalette, "editor/title": title } = manifest.contributes.menus;
  const when = (menu: { command: string; when: string }[], id: string) => menu.find(({ command }) => command === id)?.when;
  assert.deepEqual(["brv.checkTree", "brv.showStatus"].map((id) => when(commandPalette, id)), [undefined, "brv.hasTree"]);
  for (const id of ["brv.followUp", "brv.askedBefore"]) assert.match(when(title, id) ?? "", /^activeWebviewPanelId == 'brv.answer'/);
});

test("an empty view of the knowledge says one thing, and none while it is filtered", () => {
  const says = (state: Record<string, unknown>) => manifest.contributes.viewsWelcome.filter(({ view, when = "" }) => {
    const holds = when.replaceAll(/[a-z][\w.]+/gi, (name) => String(state[name] ?? false));
    return view === "brv.knowledge" && new Function(`return ${holds}`)();
  });
  const folder = { workspaceFolderCount: 1 };
  const known = { ...folder, "brv.known": true };
  const texts = [{ workspaceFolderCount: 0 }, known, { ...known, "brv.hasTree": true }].map(says);
  assert.deepEqual(texts.map((all) => all.length), [1, 1, 1]);
  assert.doesNotMatch(texts[2]![0]!.contents, /brv\.initTree/);
  const quiet = [folder, { ...folder, "brv.hasTree": true }, { ...known, "brv.filtered": true }, { ...known, "brv.hasTree": true, "brv.filtered": true }];
  assert.deepEqual(quiet.flatMap(says), [], "while the folder is read, and while it is filtered");
});

test("the walkthrough begins with a check of the documents, and each step has a picture", () => {
  const steps = manifest.contributes.walkthroughs[0]!.steps;
  assert.ok(steps[0]!.description.includes("(command:brv.checkTree)"));
  const commands = new Set(manifest.contributes.commands.map(({ command }) => command));
  for (const { description, media } of steps) {
    const named = [...description.matchAll(/\(command:(brv\.[a-z]\w+)[?)]/g)].map(([, id]) => id!);
    assert.deepEqual(named.filter((id) => !commands.has(id)), [], description);
    const page = new URL(`../../${media.markdown}`, import.meta.url);
    const picture = /^!\[.+\]\((\w+\.svg)\)\n/.exec(readFileSync(page, "utf8"))?.[1];
    assert.ok(picture !== undefined && existsSync(new URL(picture, page)), media.markdown);
  }
});

test("what decides is switched off where the workspace is not trusted", () => {
  const deciding = /^brv\.review\.(approve|approveDraft|reject|edit)$|^brv\.(proposeChanges|attachPack|undoChange|knowledge\.(archive|confirm))$/;
  for (const { command, enablement } of manifest.contributes.commands as { command: string; enablement?: string }[]) {
    assert.equal(enablement, deciding.test(command) ? "isWorkspaceTrusted" : undefined, command);
  }
});

test("keys of a view leave what is typed in it alone", () => {
  const keys = manifest.contributes.keybindings.map(({ when }) => when).filter((when) => when.includes("focusedView"));
  assert.ok(keys.length > 0);
  assert.deepEqual(keys.filter((when) => !when.includes("!inputFocus")), []);
});

test("versions are pinned exactly", () => {
  for (const [name, version] of Object.entries(manifest.devDependencies)) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name);
  }
});
