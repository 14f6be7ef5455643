import assert from "node:assert/strict";
import * as vscode from "vscode";
import { eventually, find, test } from "./harness.ts";

const tree = ".brv/context-tree";
const rotation = `${tree}/authentication/tokens/refresh_rotation.md`;
const migrations = `${tree}/database/migrations/online_migrations.md`;
const command = vscode.commands.executeCommand;
const everywhere = new vscode.Range(0, 0, 1000, 0);

function path(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri);
}

function brokenRelation(uri: vscode.Uri): vscode.Diagnostic | undefined {
  return vscode.languages.getDiagnostics(uri).find(({ message }) => message.includes("restore.md"));
}

/** What the editor shows of the tree beside hovers and navigation. */
export function looking(): void {
  test("an entry's symbols are listed once, by the editor's own Markdown support", async () => {
    const { uri } = await find(rotation, "## Facts");
    const symbols = await eventually("symbols", async () => {
      const found = await command<vscode.DocumentSymbol[] | undefined>("vscode.executeDocumentSymbolProvider", uri);
      return found?.length ? found : undefined;
    });
    const all = symbols.flatMap(function list(symbol): string[] {
      return [symbol.name, ...symbol.children.flatMap(list)];
    });
    assert.equal(all.filter((name) => name.includes("Facts")).length, 1, all.join(", "));
  });

  test("symbols of the workspace include entries", async () => {
    const found = await command<vscode.SymbolInformation[]>("vscode.executeWorkspaceSymbolProvider", "Refresh token rotation");
    assert.ok(found.some(({ location }) => path(location.uri) === rotation), found.map(({ name }) => name).join(", "));
  });

  test("hints name the entries behind relations", async () => {
    const { uri } = await find(rotation, "@authentication/sessions/revocation.md");
    const hints = await command<vscode.InlayHint[]>("vscode.executeInlayHintProvider", uri, everywhere);
    const labels = hints.map(({ label }) => (typeof label === "string" ? label : label.map(({ value }) => value).join("")));
    assert.ok(labels.includes("Session revocation"), labels.join(", "));
  });

  test("relations and frontmatter have semantic tokens; code is left to its own server", async () => {
    const { uri } = await find(rotation, "@authentication");
    const legend = await command<vscode.SemanticTokensLegend>("vscode.provideDocumentSemanticTokensLegend", uri);
    const tokens = await command<vscode.SemanticTokens>("vscode.provideDocumentSemanticTokens", uri);
    const types = new Set<string>();
    for (let i = 3; i < tokens.data.length; i += 5) {
      types.add(legend.tokenTypes[tokens.data[i] ?? -1] ?? "none");
    }
    assert.ok(types.has("namespace") && types.has("property") && types.has("keyword"), [...types].join(", "));
    const code = await find("src/auth/tokens.ts", "REFRESH_DAYS");
    assert.equal(await command("vscode.provideDocumentSemanticTokens", code.uri), undefined);
  });

  test("the lens over an entry opens its references", async () => {
    const { uri } = await find(rotation, "title:");
    const lens = await eventually("lens", async () => {
      const lenses = await command<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri, 10);
      return lenses.find(({ command }) => command?.command.startsWith('brv.lens.["brv.showReferences"'));
    });
    assert.ok(lens.command);
    assert.equal((lens.command.arguments ?? []).length, 0, "the editor forgets arguments when it asks for lenses again");
    await command("vscode.executeCodeLensProvider", uri, 10); // as during a refresh
    const found = await command<{ locations: unknown[] }>(lens.command.command);
    assert.ok(found.locations.length > 1, JSON.stringify(found));
    await command("closeReferenceSearch");
  });

  test("an answer that the server shows is a document", async () => {
    const asked = { text: "How are refresh tokens rotated?", show: true };
    const { uri } = await command<{ uri: string }>("brv.query", asked);
    const shown = vscode.window.activeTextEditor?.document;
    assert.equal(shown?.uri.toString(), vscode.Uri.parse(uri).toString());
    assert.equal(shown?.languageId, "markdown");
    assert.match(shown?.getText() ?? "", /Refresh token rotation/);
  });

  test("problems lead to what explains them", async () => {
    const { uri } = await find(migrations, "@database/backups/restore.md");
    const { code } = await eventually("problem", async () => brokenRelation(uri));
    assert.ok(typeof code === "object", JSON.stringify(code));
    assert.match(code.target.toString(), new RegExp(`diagnostics\\.md#${code.value}$`));
  });

  test("a changed setting counts at once", async () => {
    const { uri } = await find(migrations, "@database/backups/restore.md");
    const { code } = await eventually("problem", async () => brokenRelation(uri));
    const settings = vscode.workspace.getConfiguration("brv", uri);
    const name = typeof code === "object" ? String(code.value) : "";
    await settings.update("diagnostics.severity", { [name]: "off" }, vscode.ConfigurationTarget.Workspace);
    await eventually("no problem", async () => brokenRelation(uri) === undefined || undefined);
    await settings.update("diagnostics.severity", undefined, vscode.ConfigurationTarget.Workspace);
    await eventually("the problem again", async () => brokenRelation(uri));
  });

  test("the server knows that the workspace is trusted", async () => {
    assert.equal(vscode.workspace.isTrusted, true);
    const report = await command<{ trusted: boolean; entries: number }>("brv.showStatus");
    assert.equal(report.trusted, true);
    assert.ok(report.entries >= 4);
    assert.match(vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === "brv-view").at(-1)?.getText() ?? "", /The folder is trusted/);
  });

  test("a check is a page of all problems", async () => {
    await command("brv.checkTree");
    const pages = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === "brv-view").map((page) => page.getText());
    assert.match(pages.find((text) => text.startsWith("# Check of")) ?? "", /migrations/);
  });
}
