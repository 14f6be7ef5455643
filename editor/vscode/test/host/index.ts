// Tests inside the real extension host, against the real server.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { curating } from "../../src/curate.ts";
import { agents } from "./agents.ts";
import { editing } from "./editing.ts";
import { eventually, file, find, only, runAll, test } from "./harness.ts";
import { looking } from "./looking.ts";
import { modelling, realModel } from "./modelling.ts";
import { reviewing } from "./reviewing.ts";

const rotation = ".brv/context-tree/authentication/tokens/refresh_rotation.md";
const access = ".brv/context-tree/authentication/tokens/access_tokens.md";
const migrations = ".brv/context-tree/database/migrations/online_migrations.md";
const command = vscode.commands.executeCommand;

test("the extension starts by itself where there is a context tree", async () => {
  const extension = vscode.extensions.getExtension("brv-lsp.brv-lsp");
  assert.ok(extension);
  await eventually("active", async () => extension.isActive || undefined);
});

test("the folder's own settings do not choose the server", async () => {
  const written = await vscode.workspace.fs.readFile(file(".vscode/settings.json"));
  assert.match(Buffer.from(written).toString(), /"brv.server.path": "\/bin\/false"/);
  assert.equal(vscode.workspace.getConfiguration("brv.server").get("path"), "");
});

async function hoverText(uri: vscode.Uri, at: vscode.Position): Promise<string | undefined> {
  const hovers = await command<vscode.Hover[]>("vscode.executeHoverProvider", uri, at);
  const text = hovers.flatMap((hover) => hover.contents).map((part) => (part as vscode.MarkdownString).value);
  return text.length === 0 ? undefined : text.join("\n");
}

test("hover on a relation shows the entry it leads to", async () => {
  const { uri, at } = await find(rotation, "@authentication/tokens/access_tokens.md");
  const text = await eventually("hover", () => hoverText(uri, at));
  assert.match(text, /Access tokens/);
  assert.match(text, /Short-lived RS256 tokens/);
});

test("hover on a code symbol shows the entry that names it", async () => {
  const { uri, at } = await find("src/auth/tokens.ts", "rotateRefreshToken");
  const text = await eventually("link", async () => {
    const text = await hoverText(uri, at);
    return text?.includes("names `rotateRefreshToken`") ? text : undefined; // once the code is read
  });
  assert.match(text, /Refresh token rotation/);
});

test("hover where nothing is known stays silent", async () => {
  const { uri, at } = await find("src/auth/signing.ts", "stringify");
  assert.equal(await hoverText(uri, at), undefined);
});

test("hover on selected words asks about the words", async () => {
  const { uri, at, range } = await find("src/auth/signing.ts", "refresh token rotation");
  const editor = await vscode.window.showTextDocument(uri);
  editor.selection = new vscode.Selection(range.start, range.end);
  const text = await eventually("answer", () => hoverText(uri, at));
  assert.match(text, /used once|single use/);
});

async function targets(provider: string, uri: vscode.Uri, at: vscode.Position): Promise<string[]> {
  const found = await command<(vscode.Location | vscode.LocationLink)[]>(provider, uri, at);
  return found.map((place) => vscode.workspace.asRelativePath("targetUri" in place ? place.targetUri : place.uri));
}

test("pages and the code that they name lead to each other, and links of Markdown are the editor's own", async () => {
  const code = await find("src/auth/signing.ts", "Claims");
  const text = await eventually("page", async () => {
    const text = await hoverText(code.uri, code.at);
    return text?.includes("docs/signing.md › Payload") ? text : undefined; // once the documents are read
  });
  assert.match(text, /signing\.md#L5/);
  assert.ok((await targets("vscode.executeReferenceProvider", code.uri, code.at)).includes("docs/signing.md"));
  const page = await find("docs/signing.md", "Claims");
  assert.deepEqual(await targets("vscode.executeDefinitionProvider", page.uri, page.at), ["src/auth/signing.ts"]);
  assert.match((await hoverText(page.uri, page.at)) ?? "", /interface Claims/);
  for (const link of ["#payload", "(../src/auth/signing.ts"]) {
    const { uri, at } = await find("docs/signing.md", link);
    assert.equal((await targets("vscode.executeDefinitionProvider", uri, at)).length, 1, link);
  }
});

test("definition of a relation after non-ASCII text is its entry", async () => {
  const { uri, at } = await find(access, "@authentication/tokens/refresh_rotation.md");
  assert.deepEqual(await targets("vscode.executeDefinitionProvider", uri, at), [rotation]);
});

test("references of a relation are all places that lead to its entry", async () => {
  const { uri, at } = await find(access, "@authentication/tokens/refresh_rotation.md");
  const found = new Set(await targets("vscode.executeReferenceProvider", uri, at));
  for (const path of ["authentication/tokens/access_tokens.md", "authentication/sessions/revocation.md", "database/migrations/online_migrations.md"]) {
    assert.ok(found.has(`.brv/context-tree/${path}`), `${path} is missing in ${[...found].join(", ")}`);
  }
});

test("relations are links", async () => {
  const { uri } = await find(rotation, "@authentication");
  const links = await command<vscode.DocumentLink[]>("vscode.executeLinkProvider", uri, 20);
  const paths = links.map((link) => link.target?.path ?? "");
  assert.ok(paths.some((path) => path.endsWith("/authentication/tokens/access_tokens.md")), paths.join(", "));
});

test("completion after @ offers entries", async () => {
  const { uri, range } = await find(rotation, "@authentication/tokens/access_tokens.md");
  const list = await command<vscode.CompletionList>("vscode.executeCompletionItemProvider", uri, range.start.translate(0, 1), "@");
  const labels = list.items.map((item) => (typeof item.label === "string" ? item.label : item.label.label));
  assert.ok(labels.some((label) => label.includes("authentication")), labels.slice(0, 20).join(", "));
});

test("a relation that leads nowhere is a diagnostic", async () => {
  const { uri, range } = await find(migrations, "@database/backups/restore.md");
  const problem = await eventually("diagnostic", async () =>
    vscode.languages.getDiagnostics(uri).find((diagnostic) => diagnostic.range.intersection(range) !== undefined),
  );
  assert.equal(problem.source, "brv");
});

test("diagnostics follow the text as it is typed", async () => {
  const { uri, range } = await find(migrations, "@database/backups/restore.md");
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, range, "@authentication/sessions/revocation.md");
  await vscode.workspace.applyEdit(edit);
  await eventually("no diagnostic", async () => vscode.languages.getDiagnostics(uri).length === 0 || undefined);
  await command("workbench.action.files.revert");
});

const selected = "await revokeFamily(store, token.family);";

/** Writes a sentence about the selection down and returns the editor in which the draft is shown. */
async function curate(): Promise<vscode.TextEditor> {
  const { uri, range } = await find("src/auth/tokens.ts", selected);
  const action = await eventually("code action", async () => {
    const actions = await command<vscode.CodeAction[]>("vscode.executeCodeActionProvider", uri, range, undefined, 50);
    return actions.find((action) => action.title.startsWith("Write down"));
  });
  assert.equal(action.edit, undefined, "an edit would open the preview");
  assert.ok(action.command);
  await command("brv.writeDown", { uri, range, statement: "A family ends at once", topic: "authentication/tokens" });
  assert.ok(vscode.window.activeTextEditor);
  return vscode.window.activeTextEditor;
}

async function onDisk(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return Buffer.from(await vscode.workspace.fs.readFile(uri.with({ scheme: "file" }))).toString();
  } catch {
    return undefined;
  }
}

test("a curated selection is a draft, unsaved, at the path of the new entry", async () => {
  const { document, selection } = await curate();
  await command("leaveSnippet");
  assert.equal(document.uri.scheme, "untitled");
  assert.equal(document.languageId, "markdown");
  assert.equal(selection.active.line, 1); // the title, to be typed over
  assert.match(vscode.workspace.asRelativePath(document.uri.with({ scheme: "file" })), /^\.brv\/context-tree\/.*\.md$/);
  assert.ok(document.isDirty);
  assert.ok(document.getText().startsWith("---\n"));
  assert.ok(document.getText().includes("A family ends at once") && document.getText().includes("src/auth/tokens.ts:"));
  assert.equal(await onDisk(document.uri), undefined);
});

test("curating the same again keeps what was changed in the draft", async () => {
  const draft = vscode.window.activeTextEditor;
  assert.ok(draft);
  await draft.edit((edit) => edit.insert(new vscode.Position(draft.document.lineCount, 0), "\nNoted by hand.\n"));
  const changed = draft.document.getText();
  assert.equal((await curate()).document.getText(), changed);
});

test("closing a draft discards it", async () => {
  const { document } = await curate();
  await command("workbench.action.revertAndCloseActiveEditor");
  await eventually("the draft is closed", async () => document.isClosed || undefined);
  assert.equal(await onDisk(document.uri), undefined);
  assert.doesNotMatch((await curate()).document.getText(), /Noted by hand/);
});

test("saving a draft writes the entry, and the server works in it", async () => {
  const draft = vscode.window.activeTextEditor;
  assert.ok(draft);
  const relations = "\nSee @authentication/tokens/access_tokens.md and @authentication/nowhere/all.md\n";
  await draft.edit((edit) => edit.insert(new vscode.Position(draft.document.lineCount, 0), relations));
  const [uri, text] = [draft.document.uri.with({ scheme: "file" }), draft.document.getText()];
  await command("workbench.action.files.save");
  assert.equal(await onDisk(uri), text);
  const saved = vscode.window.activeTextEditor?.document;
  assert.equal(saved?.uri.toString(), uri.toString());
  const at = saved.positionAt(text.indexOf("access_tokens.md"));
  assert.match(await eventually("hover", () => hoverText(uri, at)), /Short-lived RS256 tokens/);
  const broken = saved.positionAt(text.indexOf("@authentication/nowhere") + 1);
  await eventually("diagnostic", async () =>
    vscode.languages.getDiagnostics(uri).find((diagnostic) => diagnostic.range.contains(broken)),
  );
});

test("saving a draft makes the folders that it needs", async () => {
  const uri = file(".brv/context-tree/operations/on_call/escalation.md");
  await command("brv.openDraft", { uri: uri.toString(), text: "# Escalation\n" });
  await command("workbench.action.files.save");
  assert.equal(await onDisk(uri), "# Escalation\n");
});

test("a draft never takes the place of an entry", async () => {
  const before = await onDisk(file(rotation));
  await assert.rejects(async () => command("brv.openDraft", { uri: file(rotation).toString(), text: "lost" }), /already exists/);
  assert.equal(await onDisk(file(rotation)), before);
});

test("the server's action for a selection asks for a sentence; other actions are left alone", async () => {
  const { uri, range } = await find("src/auth/tokens.ts", selected);
  const document = await vscode.workspace.openTextDocument(uri);
  const context = { diagnostics: [], only: undefined, triggerKind: vscode.CodeActionTriggerKind.Invoke };
  const token = new vscode.CancellationTokenSource().token;
  const action = (kind: string) => new vscode.CodeAction("Create", vscode.CodeActionKind.Empty.append(kind));
  const other = action("refactor.extract.other");
  const plain = { title: "Plain", command: "plain" };
  const [ours, ...left] = (await curating.provideCodeActions(document, range, context, token, () => [action("refactor.extract.brv"), other, plain])) ?? [];
  assert.ok(ours instanceof vscode.CodeAction);
  const [about] = (ours.command?.arguments ?? []) as [{ uri: vscode.Uri; range: vscode.Range }];
  assert.deepEqual([about.uri.toString(), about.range.isEqual(range)], [uri.toString(), true]);
  assert.deepEqual(left, [other, plain]);
});

test("ask shows an answer with its source", async () => {
  await command("brv.ask", { text: "How are refresh tokens rotated?" });
  const shown = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "brv-view");
  assert.equal(shown?.languageId, "markdown");
  assert.match(shown?.getText() ?? "", /refresh\\_rotation\.md:\d/);
});

test("ask says so when the tree does not cover the question", async () => {
  const answer = await command<{ outOfDomain?: boolean }>("brv.ask", { text: "Which volcano erupted in Iceland yesterday?" });
  assert.equal(answer?.outOfDomain, true);
});

test("pack stays within its budget and holds knowledge and code", async () => {
  const task = { task: "Limit refresh tokens to one device in rotateRefreshToken", budgetTokens: 3000 };
  const pack = await command<{ tokens: number; budget: number; text: string; uri: string }>("brv.packTask", task);
  assert.ok(pack.tokens > 0 && pack.tokens <= 3000, `${pack.tokens} tokens`);
  const shown = vscode.window.activeTextEditor?.document.getText() ?? "";
  assert.match(shown, /Refresh token rotation/);
  assert.match(shown, /src\/auth\/tokens\.ts/);
  const again = await vscode.workspace.openTextDocument(vscode.Uri.parse(pack.uri, true));
  assert.equal(again.getText(), pack.text);
  assert.equal(again.languageId, "markdown");
});

test("restarting the server brings its answers back", async () => {
  const { uri, at } = await find(rotation, "@authentication/tokens/access_tokens.md");
  await command("brv.restart");
  const asked = Date.now();
  const first = await hoverText(uri, at);
  assert.ok(first !== undefined || Date.now() - asked >= 250, "the first hover is empty before the folder had time to open");
  await eventually("hover", () => hoverText(uri, at));
});

test("initialising asks before it writes", async () => {
  const files = () => vscode.workspace.fs.readDirectory(file(".brv"));
  const before = await files();
  await assert.rejects(async () => command("brv.initTree"), /Start a context tree/); // an editor under test shows no dialogue
  assert.deepEqual(await files(), before);
});

looking();
reviewing();
modelling();
agents();
editing();
if (process.env.BRV_MODEL_ENDPOINT !== undefined) {
  only(realModel);
}

export const run = runAll;
