import assert from "node:assert/strict";
import * as vscode from "vscode";
import { eventually, file, find, test } from "./harness.ts";

const tree = ".brv/context-tree";
const access = `${tree}/authentication/tokens/access_tokens.md`;
const rotation = `${tree}/authentication/tokens/refresh_rotation.md`;
const revocation = `${tree}/authentication/sessions/revocation.md`;
const migrations = `${tree}/database/migrations/online_migrations.md`;
const command = vscode.commands.executeCommand;

async function text(path: string): Promise<string> {
  return (await vscode.workspace.openTextDocument(file(path))).getText();
}

/** Waits until the text of a file matches, also where it is not saved. */
function reads(path: string, expected: RegExp): Promise<true> {
  return eventually(`${expected} in ${path}`, async () => expected.test(await text(path)) || undefined);
}

async function exists(path: string): Promise<boolean> {
  return vscode.workspace.fs.stat(file(path)).then(
    () => true,
    () => false,
  );
}

function names(edit: vscode.WorkspaceEdit): string[] {
  return edit.entries().map(([uri]) => vscode.workspace.asRelativePath(uri)).sort();
}

/** What changes entries and moves files. */
export function editing(): void {
  test("renaming a relation moves the entry and changes what leads to it", async () => {
    const { uri, at } = await find(access, "@authentication/tokens/refresh_rotation.md");
    const offered = await command<{ placeholder: string }>("vscode.prepareRename", uri, at);
    assert.equal(offered.placeholder, "refresh_rotation");
    const edit = await command<vscode.WorkspaceEdit>("vscode.executeDocumentRenameProvider", uri, at, "rotation");
    for (const path of [access, revocation, migrations]) {
      assert.ok(names(edit).includes(path), `${path} is missing in ${names(edit).join(", ")}`);
    }
    // This command, unlike F2, puts moves before the texts.
    const inOrder = new vscode.WorkspaceEdit();
    for (const [uri, edits] of edit.entries()) inOrder.set(uri, edits);
    inOrder.renameFile(file(rotation), file(rotation.replace("refresh_rotation", "rotation")));
    assert.equal(await vscode.workspace.applyEdit(inOrder), true);
    await reads(migrations, /@authentication\/tokens\/rotation\.md/);
    assert.ok(await exists(rotation.replace("refresh_rotation", "rotation")));
    assert.ok(!(await exists(rotation)));
  });

  test("moving an entry as the explorer does changes what leads to it", async () => {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(file(rotation.replace("refresh_rotation", "rotation")), file(rotation));
    assert.equal(await vscode.workspace.applyEdit(edit), true);
    await reads(migrations, /@authentication\/tokens\/refresh_rotation\.md/);
    await reads(access, /@authentication\/tokens\/refresh_rotation\.md/);
  });

  test("a move is followed once, also where the editor's own Markdown follows moves", async () => {
    const links = vscode.workspace.getConfiguration("markdown.updateLinksOnFileMove");
    await links.update("enabled", "always", vscode.ConfigurationTarget.Global);
    const { uri } = await find(migrations, "## Narrative");
    const before = await text(migrations);
    // Each move has files of its own: the editor plans a second one on the text before the first.
    const moves = [["docs/guide.md", "docs/manual.md", "docs/guide.md", "docs/manual.md", "a.md"], ["papers", "writing", "papers/guide.md", "writing/guide.md", "b.md"]] as const;
    for (const [from, to, made, path, notes] of moves) {
      const typed = new vscode.WorkspaceEdit();
      typed.insert(uri, new vscode.Position((await text(migrations)).split("\n").length, 0), `\n[guide](../../../../${made})\n`);
      typed.createFile(file(made), { contents: Buffer.from("# Guide\n") });
      typed.createFile(file(notes), { contents: Buffer.from(`[guide](${made})\n`) });
      await vscode.workspace.applyEdit(typed);
      await vscode.workspace.saveAll();
      await vscode.window.showTextDocument(file(notes)); // a new file that is closed stays unknown to the editor's own Markdown
      await eventually("the link known to the editor's own Markdown", async () => {
        const same = await vscode.commands.executeCommand<vscode.Location[]>("vscode.executeReferenceProvider", file(notes), new vscode.Position(0, 9));
        return same.some((at) => at.uri.path === uri.path) || undefined;
      });
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(file(from), file(to));
      assert.equal(await vscode.workspace.applyEdit(edit), true);
      await eventually("the editor's own edit", async () => (await text(notes)) === `[guide](${path})\n` || undefined);
      const link = async () => (await text(migrations)).split("\n").at(-2);
      await eventually("the link in the entry", async () => (await link()) === `[guide](../../../../${path})` || undefined);
      await vscode.workspace.saveAll();
      assert.equal(await link(), `[guide](../../../../${path})`);
    }
    await links.update("enabled", undefined, vscode.ConfigurationTarget.Global);
    const undone = new vscode.WorkspaceEdit();
    undone.replace(uri, new vscode.Range(0, 0, 10_000, 0), before);
    for (const made of ["a.md", "b.md", "docs", "writing"]) {
      undone.deleteFile(file(made), { recursive: true });
    }
    await vscode.workspace.applyEdit(undone);
    await vscode.workspace.saveAll();
  });

  test("moving code changes the entries that name it", async () => {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(file("src/auth/sessions.ts"), file("src/auth/families.ts"));
    assert.equal(await vscode.workspace.applyEdit(edit), true);
    await reads(revocation, /^- src\/auth\/families\.ts$/m);
    const back = new vscode.WorkspaceEdit();
    back.renameFile(file("src/auth/families.ts"), file("src/auth/sessions.ts"));
    assert.equal(await vscode.workspace.applyEdit(back), true);
    await reads(revocation, /^- src\/auth\/sessions\.ts$/m);
    await vscode.workspace.saveAll();
  });

  test("a quick fix leads a broken relation to the nearest entry", async () => {
    const broken = "@authentication/tokens/acces_tokens.md";
    const { uri, range } = await find(migrations, "@database/backups/restore.md");
    const before = await text(migrations);
    const typed = new vscode.WorkspaceEdit();
    typed.replace(uri, range, broken);
    await vscode.workspace.applyEdit(typed);
    const at = new vscode.Range(range.start, range.start.translate(0, broken.length));
    const fix = await eventually("quick fix", async () => {
      const kind = vscode.CodeActionKind.QuickFix.value;
      const actions = await command<vscode.CodeAction[]>("vscode.executeCodeActionProvider", uri, at, kind, 50);
      return actions.find((action) => action.edit !== undefined && action.title.includes("access_tokens"));
    });
    assert.ok(fix.edit);
    await vscode.workspace.applyEdit(fix.edit);
    await reads(migrations, /@authentication\/tokens\/access_tokens\.md/);
    const undone = new vscode.WorkspaceEdit();
    undone.replace(uri, new vscode.Range(0, 0, 10_000, 0), before);
    await vscode.workspace.applyEdit(undone);
    await vscode.workspace.saveAll();
  });
}
