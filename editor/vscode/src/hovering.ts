import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";

/** An entry of a hover that the code left behind; the server leaves it to us to say so. */
interface Stale {
  uri: string;
  path: string;
  title: string;
  /** Plain, with names in backticks. */
  why: string;
  changed: boolean;
}

export const showChanges = "brv.showChanges";
export const confirmEntry = "brv.confirmEntry";

/**
 * Sends the selection along when the mouse rests on it, so that the hover is about
 * the selected words. The protocol knows only a position; the server takes a range
 * beside it. What is stale is said first, with links to two commands of ours: only that
 * part is trusted, and of what entries say it holds nothing that could be a link.
 */
export function hovering(client: () => LanguageClient | undefined): Pick<Middleware, "provideHover"> {
  return {
    async provideHover(document, position, token, next) {
      const running = client();
      if (running === undefined) {
        return next(document, position, token);
      }
      const convert = running.code2ProtocolConverter;
      const selection = selectionAt(document, position);
      const params = { ...convert.asTextDocumentPositionParams(document, position), ...(selection && { range: convert.asRange(selection) }) };
      const answer = await running.sendRequest<(Parameters<typeof running.protocol2CodeConverter.asHover>[0] & { stale?: Stale[] }) | null>(
        "textDocument/hover", params, token,
      );
      const hover = running.protocol2CodeConverter.asHover(answer);
      for (const stale of (answer?.stale ?? []).toReversed()) {
        hover?.contents.unshift(staleness(stale));
      }
      return hover;
    },
  };
}

/** One line that says how an entry no longer fits, and what can be done about it. */
export function staleness({ uri, path, title, why, changed }: Stale): vscode.MarkdownString {
  const said = why.split("`").map((part) => (/^[\w.$/:-]+$/.test(part) ? `\`${part}\`` : literal(part))); // names may be a stranger's
  const line = new vscode.MarkdownString(`⚠ **${literal(title)}** is possibly out of date: ${said.join("")}`);
  line.isTrusted = { enabledCommands: [showChanges, confirmEntry] };
  const link = (text: string, command: string, tip: string, ...args: string[]) =>
    line.appendMarkdown(` · [${text}](command:${command}?${encoded(args)} "${tip}")`);
  link("what changed", showChanges, "Show the entry beside what changed", uri);
  if (changed) {
    link("still true", confirmEntry, "Confirm the entry as it stands", uri, path);
  }
  return line;
}

/** Arguments of a command in a link, which no bracket or quote of theirs ends. */
function encoded(args: string[]): string {
  return encodeURIComponent(JSON.stringify(args)).replaceAll(/[()']/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
}

/** Text in Markdown that shows it as it is. (The editor's own way joins all words by spaces that do not break.) */
function literal(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(/[\\`*_{}[\]()#+!~>|:@-]/g, "\\$&").replaceAll("www.", "www\\.");
}

function selectionAt(document: vscode.TextDocument, position: vscode.Position): vscode.Selection | undefined {
  const editor = vscode.window.visibleTextEditors.find((e) => e.document === document);
  return editor?.selections.find((s) => !s.isEmpty && s.contains(position));
}
