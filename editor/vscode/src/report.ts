import * as vscode from "vscode";
import { folder, withProgress } from "./ask";
import { plain } from "./plain";
import type { Server } from "./server";
import type { Views } from "./views";

/** What the server says of the tree; further counts stand beside these. */
export interface StatusReport {
  domains: number;
  topics: number;
  entries: number;
  archived: number;
  errors: number;
  warnings: number;
  pending: number;
  trusted: boolean;
  untrusted?: string;
  dreams?: { line: string };
}

/** Shows how the tree of the folder is. */
export async function showStatus(server: Server, views: Views): Promise<StatusReport | undefined> {
  const report = await run<StatusReport>(server, "Looking at the context tree", "brv.status");
  if (report === undefined) {
    return undefined;
  }
  const { domains, topics, entries, archived, errors, warnings, pending } = report;
  const rows = { domains, topics, entries, archived, errors, warnings, "waiting for a review": pending };
  const table = Object.entries(rows).map(([name, count]) => `| ${name} | ${count} |`);
  const trust = report.trusted ? "The folder is trusted." : `The folder is not trusted: ${report.untrusted ?? ""}`;
  const dreams = report.dreams === undefined ? "" : `\nDreams: ${plain(report.dreams.line)}\n`;
  await views.show("Context tree", `# Context tree\n\n| | |\n|---|---|\n${table.join("\n")}\n\n${trust}\n${dreams}`);
  return report;
}

/** Checks the whole tree, and shows the problems where the editor lists them. */
export async function checkTree(server: Server): Promise<void> {
  const report = await run<{ entries: number; errors: number; warnings: number }>(server, "Checking the context tree", "brv.check");
  if (report === undefined) {
    return;
  }
  const { entries, errors, warnings } = report;
  if (errors + warnings > 0) {
    await vscode.commands.executeCommand("workbench.actions.view.problems");
  }
  void vscode.window.showInformationMessage(`brv: ${count(errors, "error")} and ${count(warnings, "warning")} in ${count(entries, "entry", "entries")}.`);
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

function run<Result>(server: Server, title: string, command: string): Promise<Result | undefined> {
  const request = { command, arguments: [{ uri: folder()?.uri.toString() }] };
  return withProgress(title, (token) => server.request<Result>("workspace/executeCommand", request, token));
}
