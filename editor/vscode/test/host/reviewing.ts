import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Review, Row } from "../../src/reviews.ts";
import { eventually, file, test } from "./harness.ts";

const command = vscode.commands.executeCommand;
const access = "authentication/tokens/access_tokens.md";
const sly = "[free](command:workbench.action.quit) <img src=x onerror=alert(1)>";

function folder(): vscode.WorkspaceFolder {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(first);
  return first;
}

/** Has operations held as an agent's are. */
async function held(...operations: object[]): Promise<Row> {
  const report = await command<{ batch: number; summary: { pending: number } }>("brv.curate", { operations, hold: "all", author: "host" });
  assert.equal(report.summary.pending, operations.length);
  const { reviews } = await command<{ reviews: Review[] }>("brv.reviews", {});
  const review = reviews.find(({ batch }) => batch === report.batch);
  assert.ok(review);
  return { folder: folder(), review };
}

function first({ folder, review }: Row): Row {
  assert.ok(review.items[0]);
  return { folder, review, item: review.items[0] };
}

const adding = (title: string) => ({
  type: "ADD", path: "operations/alerts", title, reason: "tried", summary: sly, content: { narrative: { highlights: `Alerts of ${title}. ${sly}` } },
});
const updating = { type: "UPDATE", path: access, reason: "tried", content: { narrative: { highlights: "Reviewed in the editor." } } };

async function text(path: string): Promise<string | undefined> {
  return vscode.workspace.fs.readFile(file(`.brv/context-tree/${path}`)).then((data) => Buffer.from(data).toString(), () => undefined);
}

async function pending(): Promise<number> {
  return (await command<{ reviews: Review[] }>("brv.reviews", {})).reviews.reduce((sum, { items }) => sum + items.length, 0);
}

function diffInFront(): vscode.TabInputTextDiff {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  assert.ok(input instanceof vscode.TabInputTextDiff);
  return input;
}

/** What waits for a review, and the decisions, against the real server. */
export function reviewing(): void {
  test("a held operation is shown beside the present text, and nothing in it is a command", async () => {
    const row = first(await held({ ...updating, summary: sly }));
    await command("brv.review.show", row);
    const { original, modified } = diffInFront();
    assert.deepEqual([original.scheme, modified.scheme], ["brv-review", "brv-review"]);
    const [before, after] = await Promise.all([original, modified].map((uri) => vscode.workspace.openTextDocument(uri)));
    assert.equal(before?.getText(), await text(access));
    assert.ok(after?.getText().includes("Reviewed in the editor.") && after.getText().includes(sly));
    assert.equal(after?.languageId, "brv-review");
    const links = await command<vscode.DocumentLink[]>("vscode.executeLinkProvider", modified, 100);
    assert.deepEqual(links.filter(({ target }) => target?.scheme === "command"), []);
    await command("brv.review.reject", row, { reason: "tried" });
  });

  test("rejecting changes nothing, and closes what was shown", async () => {
    const before = await text(access);
    const row = first(await held(updating));
    await command("brv.review.show", row);
    await command("brv.review.reject", row, { reason: "tried" });
    assert.equal(await text(access), before);
    assert.equal(await pending(), 0);
    const shown = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ input }) => input instanceof vscode.TabInputTextDiff);
    assert.deepEqual(shown.map(({ label }) => label), []);
  });

  test("approving one operation leaves the rest of its batch waiting", async () => {
    const batch = await held(adding("On call"), adding("Paging"));
    const [one, two] = batch.review.items.map(({ path }) => path);
    assert.ok(one && two);
    await command("brv.review.approve", first(batch));
    assert.match((await text(one)) ?? "", /Alerts of On call/);
    assert.equal(await text(two), undefined);
    assert.equal(await pending(), 1);
    await command("brv.review.approve", batch);
    assert.match((await text(two)) ?? "", /Alerts of Paging/);
    assert.equal(await pending(), 0);
  });

  test("a proposed text is edited and approved with the changes", async () => {
    const row = first(await held(adding("Silence")));
    await command("brv.review.edit", row);
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputText, "what is new is no difference");
    const modified = input.uri;
    assert.equal(modified.scheme, "brv-draft");
    const document = await vscode.workspace.openTextDocument(modified);
    const typed = new vscode.WorkspaceEdit();
    typed.insert(modified, document.lineAt(document.lineCount - 1).range.end, "\nSilences end after an hour.\n");
    assert.equal(await vscode.workspace.applyEdit(typed), true);
    assert.equal(await text(row.item?.path ?? ""), undefined, "typing writes nothing");
    assert.equal(await document.save(), true);
    assert.equal(await text(row.item?.path ?? ""), undefined, "saving a draft writes no entry");
    await command("brv.review.approveDraft", modified);
    assert.match((await text(row.item?.path ?? "")) ?? "", /Alerts of Silence[^]*Silences end after an hour\./);
    assert.equal(await pending(), 0);
    await eventually("closed", async () => !vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === "brv-draft")) || undefined);
  });
}
