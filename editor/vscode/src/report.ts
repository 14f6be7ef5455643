import * as vscode from "vscode";
import { escaped, open, withProgress } from "./ask";
import { chosenFolder, inFolder } from "./folders";
import { plain } from "./plain";
import type { Server } from "./server";
import { linkTo, type Views } from "./views";

/** What the server says of the tree; further counts stand beside these. */
export interface StatusReport {
  domains: number;
  topics: number;
  entries: number;
  archived: number;
  errors: number;
  warnings: number;
  pending: number;
  unreviewed?: number;
  leftBehind?: number;
  trusted: boolean;
  untrusted?: string;
  dreams?: { line: string };
}

/** Shows how the tree of the folder is. */
export async function showStatus(server: Server, views: Views): Promise<StatusReport | undefined> {
  const title = "Looking at the context tree";
  const folder = await chosenFolder(title);
  const report = folder && (await run<StatusReport>(server, folder, title, "brv.status"));
  if (report === undefined) {
    return undefined;
  }
  const { domains, topics, entries, archived, errors, warnings, pending } = report;
  const rows = {
    domains, topics, entries, "stale entries": report.leftBehind ?? 0, archived, errors, warnings,
    "waiting for a review": pending, "already done, to check": report.unreviewed ?? 0,
  };
  const table = Object.entries(rows).filter(([name, count]) => count > 0 || name === "entries").map(([name, count]) => `| ${name} | ${count} |`);
  const trust = report.trusted ? "The folder is trusted." : `The folder is not trusted: ${report.untrusted ?? ""}`;
  const dreams = report.dreams === undefined ? "" : `\nDreams: ${plain(report.dreams.line)}\n`;
  await views.showRendered(`${inFolder(folder)}Context tree`, `# Context tree\n\n| | |\n|---|---|\n${table.join("\n")}\n\n${trust}\n${dreams}`, { key: `status ${folder?.uri}` });
  return report;
}

interface CheckReport {
  entries: number;
  findings: { path: string; line: number; message: string }[];
  documents?: number;
  /** What was not checked, and why. */
  note?: string;
}

/** Checks documents and entries, and shows all problems as a page. */
export async function check(server: Server, views: Views): Promise<void> {
  const title = "Checking documents and entries";
  const folder = await chosenFolder(title);
  const report = folder && (await run<CheckReport>(server, folder, title, "brv.check", { documents: true }));
  if (folder !== undefined && report !== undefined) {
    await showFindings(views, folder, report);
  }
}

/** The most findings that a page lists. */
const mostFindings = 200;

/** Shows what a check found, each with a link to its place. */
async function showFindings(views: Views, folder: vscode.WorkspaceFolder, report: CheckReport): Promise<void> {
  const key = `check ${folder.uri}`;
  const shown = report.findings.slice(0, mostFindings);
  const named = (path: string, line: number) => escaped(`${path.replace(/^\.brv\/context-tree\//, "")}:${line}`);
  const lines = shown.map(({ path, line, message }, n) => `- ${linkTo(named(path, line), key, n)} ${escaped(message.replaceAll("`", ""))}`);
  const checked = [count(report.documents ?? 0, "document"), ...(report.entries === 0 ? [] : [count(report.entries, "entry", "entries")])].join(" and ");
  const found = report.findings.length === 0 ? "Nothing is out of date." : `${count(report.findings.length, "finding")} in ${checked}.`;
  const more = report.findings.length > shown.length ? ` This page has the first ${shown.length}.` : "";
  const note = report.note === undefined ? "" : `\n\n> ${escaped(report.note)}`;
  const text = `# Check of ${escaped(folder.name)}\n\n${found}${more}${note}\n\n${lines.join("\n")}\n`;
  const acts = shown.map(({ path, line }) => () => open(folder.uri, { filePath: path, line }));
  await views.showRendered(`${inFolder(folder)}Check`, text, { key, acts });
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

function run<Result>(server: Server, folder: vscode.WorkspaceFolder, title: string, command: string, what = {}): Promise<Result | undefined> {
  const request = { command, arguments: [{ ...what, uri: folder.uri.toString() }] };
  return withProgress(title, (token) => server.request<Result>("workspace/executeCommand", request, token));
}
