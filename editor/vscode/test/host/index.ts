// Tests inside the real extension host, against the real server.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { eventually, file, find, runAll, test } from "./harness.ts";

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

async function targets(provider: string, uri: vscode.Uri, at: vscode.Position): Promise<string[]> {
  const found = await command<(vscode.Location | vscode.LocationLink)[]>(provider, uri, at);
  return found.map((place) => vscode.workspace.asRelativePath("targetUri" in place ? place.targetUri : place.uri));
}

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

test("a selection in code can be curated into a new entry", async () => {
  const { uri, range } = await find("src/auth/tokens.ts", "await revokeFamily(store, token.family);");
  const curate = await eventually("code action", async () => {
    const actions = await command<vscode.CodeAction[]>("vscode.executeCodeActionProvider", uri, range, undefined, 50);
    return actions.find((action) => action.title.startsWith("Curate this selection"));
  });
  const [target, edits] = curate.edit?.entries()[0] ?? [];
  assert.match(vscode.workspace.asRelativePath(target ?? uri), /^\.brv\/context-tree\/.*\.md$/);
  assert.match(edits?.[0]?.newText ?? "", /revokeFamily/);
});

test("ask shows an answer with its source", async () => {
  await command("brv.ask", { text: "How are refresh tokens rotated?" });
  const shown = vscode.window.activeTextEditor?.document;
  assert.equal(shown?.uri.scheme, "brv-view");
  assert.equal(shown?.languageId, "markdown");
  assert.match(shown?.getText() ?? "", /refresh_rotation\.md/);
});

test("ask says so when the tree does not cover the question", async () => {
  const answer = await command<{ outOfDomain?: boolean }>("brv.ask", { text: "Which volcano erupted in Iceland yesterday?" });
  assert.equal(answer?.outOfDomain, true);
});

test("pack stays within its budget and holds knowledge and code", async () => {
  const task = { task: "Limit refresh tokens to one device in rotateRefreshToken", budgetTokens: 3000 };
  const pack = await command<{ tokens: number; budget: number }>("brv.packTask", task);
  assert.ok(pack.tokens > 0 && pack.tokens <= 3000, `${pack.tokens} tokens`);
  const shown = vscode.window.activeTextEditor?.document.getText() ?? "";
  assert.match(shown, /Refresh token rotation/);
  assert.match(shown, /src\/auth\/tokens\.ts/);
});

test("restarting the server brings its answers back", async () => {
  await command("brv.restart");
  const { uri, at } = await find(rotation, "@authentication/tokens/access_tokens.md");
  await eventually("hover", () => hoverText(uri, at));
});

test("initialising again leaves the tree as it is", async () => {
  const before = await vscode.workspace.fs.readFile(file(rotation));
  await command("brv.initTree");
  assert.deepEqual(await vscode.workspace.fs.readFile(file(rotation)), before);
});

export const run = runAll;
