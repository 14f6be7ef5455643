import * as vscode from "vscode";

type Check = { name: string; run: () => Promise<void> };
const checks: Check[] = [];

/** Registers a test. Tests run in order, because they share one editor. */
export function test(name: string, run: () => Promise<void>): void {
  checks.push({ name, run });
}

/** Registers the tests of register instead of all before. */
export function only(register: () => void): void {
  checks.length = 0;
  register();
}

/** Runs all tests, prints a line for each, and throws if one failed. */
export async function runAll(): Promise<void> {
  let failed = 0;
  for (const { name, run } of checks) {
    const start = Date.now();
    try {
      await run();
      console.log(`ok      ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name}\n${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  if (failed > 0) {
    throw new Error(`${failed} of ${checks.length} failed`);
  }
}

/** Repeats probe until it returns a value, for answers that come once the server has read the folder. */
export async function eventually<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 40_000;
  while (Date.now() < deadline) {
    const value = await probe();
    if (value !== undefined) {
      return value;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what}: not within 40 s`);
}

export function file(path: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) {
    throw new Error("no folder is open");
  }
  return vscode.Uri.joinPath(folder.uri, path);
}

/** Shows a file and finds text in it. The position lies in its last word: a relation leads to its entry there, to a folder before. */
export async function find(path: string, text: string): Promise<{ uri: vscode.Uri; at: vscode.Position; range: vscode.Range }> {
  const uri = file(path);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  const offset = document.getText().indexOf(text);
  if (offset < 0) {
    throw new Error(`${path} has no "${text}"`);
  }
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + text.length));
  return { uri, at: range.end.translate(0, -1), range };
}
