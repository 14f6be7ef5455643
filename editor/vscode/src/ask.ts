import { posix } from "node:path";
import * as vscode from "vscode";
import { chosenFolder, inFolder } from "./folders";
import { message, plain } from "./plain";
import type { Requests } from "./server";
import type { Views } from "./views";

export interface Answer {
  outOfDomain?: boolean;
  /** The text is passages to reason over, no answer. */
  forReader?: boolean;
  /** What else the reader should know: a scope widened, a model that failed. */
  note?: string;
  /** Below 2: it was remembered. */
  tier?: number;
  /** Who wrote it, where a model did, and what it read and wrote. */
  model?: string;
  tokensIn?: number;
  tokensOut?: number;
  markdown: string;
  /** With the bytes of the file in which the passage stands. */
  sources: { title: string; filePath: string; line: number; start: number; end: number; marks?: string[] }[];
}

/** So many questions are kept for the history. */
const mostKept = 20;
const asked = "brv.questions";
const anew = "Ask something new…";
const writeDown = "Write it down";

/** Questions to the knowledge, and the answers as rendered documents. */
export class Questions {
  private readonly server: Requests;
  private readonly views: Views;
  private readonly state: vscode.Memento;
  private last: { text: string } | undefined;

  constructor(server: Requests, views: Views, extension: Pick<vscode.ExtensionContext, "workspaceState">) {
    this.server = server;
    this.views = views;
    this.state = extension.workspaceState;
  }

  /** Asks and shows the answer. The question may be given, so that a key binding or another extension can ask. */
  async ask(given?: { text: string }): Promise<Answer | undefined> {
    const folder = await chosenFolder("Ask");
    const text = folder && (given?.text ?? (await this.question()));
    if (folder === undefined || text === undefined) {
      return undefined;
    }
    const shown = new Shown(this.views, text, folder);
    const answer = await withProgress("Asking", (token, doing) => {
      const heard = { doing, found: (part: Answer) => void shown.found(part) };
      return this.server.requestOfModel<Answer>("brv/query", { text, uri: folder.uri.toString() }, token, heard);
    });
    if (answer === undefined) {
      await shown.ended();
      return undefined;
    }
    this.last = { text };
    await vscode.commands.executeCommand("setContext", "brv.answered", true);
    await this.state.update(asked, [text, ...this.history().filter((other) => other !== text)].slice(0, mostKept));
    if (answer.outOfDomain === true) {
      await shown.ended();
      void this.offerToWrite(text, folder, answer);
    } else {
      await shown.answered(answer);
    }
    return answer;
  }

  /** Asks again, with the question before as the beginning. */
  async followUp(): Promise<Answer | undefined> {
    const before = this.last?.text ?? "";
    const text = await input("Follow up", before === "" ? "" : `${before.replace(/[?.!\s]+$/, "")}, `);
    return text === undefined ? undefined : this.ask({ text });
  }

  /** Shows what was asked before; a question that is chosen is asked again. */
  async again(): Promise<Answer | undefined> {
    const chosen = await vscode.window.showQuickPick([anew, ...this.history()], { title: "Questions asked before" });
    return chosen === undefined ? undefined : this.ask(chosen === anew ? undefined : { text: chosen });
  }

  private history(): string[] {
    return this.state.get<string[]>(asked, []);
  }

  private question(): Promise<string | undefined> {
    return input("Ask the team's knowledge", "");
  }

  private async offerToWrite(text: string, folder: vscode.WorkspaceFolder, answer: Answer): Promise<void> {
    const buttons = answer.sources.length === 0 ? [writeDown] : [writeDown, "Show the nearest"];
    const said = await vscode.window.showInformationMessage(`brv: ${plain(answer.markdown.trim())}`, ...buttons);
    if (said === writeDown) {
      await vscode.commands.executeCommand("brv.writeDown", { question: text, folder });
    } else if (said !== undefined) {
      await this.views.showRendered(text, `# ${escaped(text)}\n\n${answer.markdown}${await links(answer, folder.uri)}`);
    }
  }
}

const show = "Show it";

/** The document of a question: what was found, once a model is asked about it, and then the answer in the same place. */
class Shown {
  private static count = 0;
  private readonly key = `answer-${++Shown.count}`;
  private readonly name: string;
  private readonly views: Views;
  private readonly text: string;
  private readonly folder: vscode.WorkspaceFolder;
  private before: Answer | undefined;
  private turn: Promise<void> = Promise.resolve();

  constructor(views: Views, text: string, folder: vscode.WorkspaceFolder) {
    [this.views, this.text, this.folder, this.name] = [views, text, folder, `${inFolder(folder)}${text}`];
  }

  /** Shows what was found while the model is asked. */
  found(answer: Answer): Promise<void> {
    this.before = answer;
    const asking = "The model is asked about this. What it says comes here, if it stands the checks.";
    return this.inTurn(async () => this.views.showRendered(this.name, await this.page({ ...answer, note: asking }), this.key));
  }

  /** Says that nothing else comes. */
  async ended(): Promise<void> {
    const { before } = this;
    if (before !== undefined) {
      const text = await this.page({ ...before, note: "The model gave no answer." });
      await this.inTurn(() => this.views.updateRendered(this.name, text, this.key));
    }
  }

  /** Shows the answer. Whoever reads something else by now is told of it, and not taken away from that. */
  async answered(answer: Answer): Promise<void> {
    const found = this.before === undefined || answer.forReader === true ? "" : `\n\n---\n\n## What was found\n\n${this.before.markdown}`;
    const text = (await this.page(answer)) + found;
    if (this.before === undefined) {
      await this.views.showRendered(this.name, text, this.key);
      return;
    }
    await this.inTurn(() => this.views.updateRendered(this.name, text, this.key));
    if (!this.views.inFront(this.name)) {
      void this.offer(`brv: “${plain(this.text)}” is answered${answer.forReader === true ? " by passages alone" : ""}.`, text);
    }
  }

  private async offer(said: string, text: string): Promise<void> {
    if ((await vscode.window.showInformationMessage(said, show)) === show) {
      await this.views.showRendered(this.name, text, this.key);
    }
  }

  private async page(answer: Answer): Promise<string> {
    return `# ${escaped(this.text)}\n\n${note(answer)}${answer.markdown}${byModel(answer)}${await links(answer, this.folder.uri)}`;
  }

  /** What is shown keeps its order: opening a document takes a while. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work);
    return this.turn;
  }
}

/** A user's text in one line of Markdown that shows it as it is. */
export function escaped(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ").replaceAll(/[\\`*_[\]<>#!"&]/g, "\\$&");
}

function note(answer: Answer): string {
  return answer.note === undefined ? "" : `> ${answer.note.replaceAll(/[\r\n]+/g, " ")}\n\n`;
}

/** Which model answered and what that took, also where its answer is not shown; a remembered answer took nothing. */
function byModel({ tier = 0, model, tokensIn = 0, tokensOut = 0 }: Answer): string {
  const took = tier < 2 ? " before" : `: ${tokensIn.toLocaleString("en")} tokens in, ${tokensOut.toLocaleString("en")} out`;
  const who = model ? `Answered by ${escaped(model)}` : tokensIn > 0 ? "A model was asked" : "";
  return who === "" ? "" : `\n\n*${who}${took}*`;
}

/** So much of a passage is shown while the pointer rests on its link. */
const mostShown = 400;

/** What a source says, as the title of a link. */
async function preview(base: vscode.Uri, { filePath, start, end }: Answer["sources"][number]): Promise<string> {
  const file = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(base, filePath)).then((bytes) => bytes, () => new Uint8Array());
  const text = new TextDecoder().decode(file.subarray(start, end)).trim();
  const shown = text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
  return text === "" ? "" : ` "${shown.split(/\s*\n\s*/).map(escaped).join("&#10;")}"`;
}

/**
 * Links to what the answer rests on, with what stands there as their titles. The preview opens none with a scheme; one
 * that begins with a slash it takes for a path in the first folder of the workspace, since the answer's document lies in none.
 */
async function links(answer: Answer, base: vscode.Uri): Promise<string> {
  if (answer.sources.length === 0) {
    return "";
  }
  const all = answer.sources.map(async (source) => {
    const { title, filePath, line, marks = [] } = source;
    const first = vscode.workspace.workspaceFolders?.[0]?.uri ?? base;
    const target = posix.relative(first.path, posix.join(base.path, filePath)).split("/").map(encodeURIComponent).join("/");
    const stale = marks.length === 0 ? "" : ` — ⚠ ${escaped(marks.join("; "))}`;
    return `- **[${escaped(title)}](/${target}#L${line}${await preview(base, source)})** ${escaped(`${filePath}:${line}`)}${stale}`;
  });
  return `\n\n---\n\n**Where this stands**\n\n${(await Promise.all(all)).join("\n")}\n`;
}

async function input(title: string, value: string): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title,
    value,
    valueSelection: [value.length, value.length],
    placeHolder: "How are refresh tokens rotated?",
    prompt: "Answered from the context tree and the documents of the repository",
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "Type a question." : undefined),
  });
}

/**
 * Runs work under a notification that can cancel it and tells what is being done, or under a line in a view. Failures are
 * shown and yield nothing.
 */
export async function withProgress<Result>(
  title: string,
  work: (token: vscode.CancellationToken, doing: (message: string) => void) => Promise<Result>,
  location: vscode.ProgressOptions["location"] = vscode.ProgressLocation.Notification,
): Promise<Result | undefined> {
  const options = { location, title: `brv: ${title}`, cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    try {
      return await work(token, (message) => progress.report({ message }));
    } catch (error) {
      if (!token.isCancellationRequested && !(error instanceof vscode.CancellationError)) {
        void vscode.window.showErrorMessage(`brv: ${plain(message(error))}`);
      }
      return undefined;
    }
  });
}
