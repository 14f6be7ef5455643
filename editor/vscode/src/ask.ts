import * as vscode from "vscode";
import { chosenFolder, inFolder } from "./folders";
import { message, plain } from "./plain";
import { openCommand } from "./selector";
import type { Requests } from "./server";
import { linkTo, type Views } from "./views";

export interface Answer {
  outOfDomain?: boolean;
  /** The text is passages to reason over, no answer. */
  forReader?: boolean;
  /** They are only what comes nearest. */
  unsure?: boolean;
  /** What else the reader should know: a scope widened, a model that failed. */
  note?: string;
  /** Below 2: it was remembered. */
  tier?: number;
  /** Who wrote it, where a model did, and what it read and wrote. */
  model?: string;
  tokensIn?: number;
  tokensOut?: number;
  markdown: string;
  /** It is the own answer; what the organisation has comes with the next one. */
  waiting?: boolean;
  /** Entries of other repositories of the organisation. The answer does not rest on them. */
  elsewhere?: { repository: string; path: string; title: string; passage: string; age: string; link?: string }[];
  /** With the bytes of the file in which the passage stands. */
  sources: { title: string; filePath: string; line: number; start: number; end: number; marks?: string[] }[];
}

/** So many questions are kept for the history. */
const mostKept = 20;
const asked = "brv.questions";
const anew = "Ask something new…";

/** A question to the knowledge of a folder; without one it is asked which. */
interface Question {
  text: string;
  folder?: vscode.WorkspaceFolder | undefined;
}

/** Questions to the knowledge, and the answers as pages. */
export class Questions {
  private readonly server: Requests;
  private readonly views: Views;
  private readonly state: vscode.Memento;
  /** What was asked, by the keys of the pages; the last one stands last. */
  private readonly asked = new Map<string, Question>();

  constructor(server: Requests, views: Views, extension: Pick<vscode.ExtensionContext, "workspaceState">) {
    this.server = server;
    this.views = views;
    this.state = extension.workspaceState;
  }

  /** Asks and shows the answer. The question may be given, so that a key binding or another extension can ask. */
  async ask(given?: Partial<Question>): Promise<Answer | undefined> {
    const folder = given?.folder ?? (await chosenFolder("Ask"));
    const text = folder && (given?.text ?? (await input("Ask the team's knowledge", "")));
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
    this.asked.set(shown.key, { text, folder });
    await vscode.commands.executeCommand("setContext", "brv.answered", true);
    const kept = { text, in: folder.uri.toString() };
    await this.state.update(asked, [kept, ...this.history().filter((other) => other.text !== text || other.in !== kept.in)].slice(0, mostKept));
    await shown.answered(answer);
    return answer;
  }

  /** Asks again, with the question in front, else the last one, as the beginning. */
  async followUp(): Promise<Answer | undefined> {
    const before = this.asked.get(this.views.front ?? "") ?? [...this.asked.values()].at(-1);
    const text = await input("Follow up", before === undefined ? "" : `${before.text.replace(/[?.!\s]+$/, "")}, `);
    return text === undefined ? undefined : this.ask({ text, folder: before?.folder });
  }

  /** Shows what was asked before; a question that is chosen is asked again, where it was asked. */
  async again(): Promise<Answer | undefined> {
    const before = this.history().flatMap(({ text, in: uri }) => {
      const folder = vscode.workspace.workspaceFolders?.find((each) => each.uri.toString() === uri);
      return folder === undefined ? [] : [{ label: inFolder(folder) + text, text, folder }];
    });
    const chosen: { label: string } & Partial<Question> | undefined =
      await vscode.window.showQuickPick([{ label: anew }, ...before], { title: "Questions asked before" });
    return chosen && this.ask(chosen.text === undefined ? undefined : chosen);
  }

  private history(): { text: string; in: string }[] {
    return this.state.get<{ text: string; in: string }[]>(asked, []).filter((one) => one.in !== undefined);
  }
}

const show = "Show it";

/** The page of a question: what was found, once a model is asked about it, and then the answer in the same place. */
class Shown {
  private static count = 0;
  readonly key = `answer-${++Shown.count}`;
  private readonly name: string;
  private readonly views: Views;
  private readonly text: string;
  private readonly folder: vscode.WorkspaceFolder;
  private before: Answer | undefined;
  private turn: Promise<void> = Promise.resolve();

  constructor(views: Views, text: string, folder: vscode.WorkspaceFolder) {
    [this.views, this.text, this.folder, this.name] = [views, text, folder, `${inFolder(folder)}${text}`];
  }

  /** Shows what was found while the model is asked, or the own answer while the organisation is. */
  found(answer: Answer): Promise<void> {
    if (answer.waiting === true) {
      return this.put(answer, "", true);
    }
    this.before = answer;
    const asking = "A model is answering. Its answer appears here if it passes the checks.";
    return this.put({ ...answer, note: asking }, "", true);
  }

  /** Says that nothing else comes. */
  async ended(): Promise<void> {
    const { before } = this;
    if (before !== undefined) {
      await this.put({ ...before, note: "The model gave no answer." }, "", false);
    }
  }

  /** Shows the answer. Whoever reads something else by now is told of it, and not taken away from that. */
  async answered(answer: Answer): Promise<void> {
    const found = this.before === undefined || answer.forReader === true ? "" : `\n\n---\n\n## What was found\n\n${this.before.markdown}`;
    await this.put(answer, found, this.before === undefined);
    if (this.before !== undefined && !this.views.isSeen(this.key)) {
      void this.offer(answer, found);
    }
  }

  private async offer(answer: Answer, found: string): Promise<void> {
    const certainty = answer.unsure === true ? "perhaps not covered" : `answered${answer.forReader === true ? " with passages only" : ""}`;
    const how = answer.outOfDomain === true ? "not covered" : certainty;
    if ((await vscode.window.showInformationMessage(`brv: “${plain(this.text)}” is ${how}.`, show)) === show) {
      await this.put(answer, found, true);
    }
  }

  /** Brings the page up to date, or to the front. What is shown keeps its order: a page takes a while. */
  private put(answer: Answer, more: string, front: boolean): Promise<void> {
    const { key, folder } = this;
    const write = () => vscode.commands.executeCommand("brv.writeDown", { question: this.text, folder });
    const acts = [...answer.sources.map((source) => () => open(folder.uri, source)), write];
    const uncovered = answer.outOfDomain === true ? `\n\n${linkTo("Write it down", key, acts.length - 1)}` : "";
    this.turn = this.turn.then(async () => {
      const from = await links(answer, folder.uri, key);
      const text = `# ${escaped(this.text)}\n\n${note(answer)}${answer.markdown}${uncovered}${byModel(answer)}${from}${elsewhere(answer)}${more}`;
      const page = { key, type: "brv.answer", acts } as const;
      await (front ? this.views.showRendered(this.name, text, page) : this.views.updateRendered(text, page));
    });
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
  return [filePath, ...(text === "" ? [] : shown.split(/\s*\n\s*/))].map(escaped).join("&#10;");
}

/** Opens a file of a folder at a line. */
export function open(base: vscode.Uri, { filePath, line }: { filePath: string; line: number }): Thenable<unknown> {
  const selection = new vscode.Range(line - 1, 0, line - 1, 0);
  return vscode.commands.executeCommand(openCommand, vscode.Uri.joinPath(base, filePath), { preview: true, selection });
}

/** Links to what the answer rests on, with what stands there as their titles. */
async function links(answer: Answer, base: vscode.Uri, key: string): Promise<string> {
  if (answer.sources.length === 0) {
    return "";
  }
  const all = answer.sources.map(async (source, n) => {
    const { title, filePath, line, marks = [] } = source;
    const stale = marks.length === 0 ? "" : ` — ⚠ ${escaped(marks.join("; "))}`;
    const file = escaped(`${filePath.split("/").at(-1)}:${line}`);
    return `- **${linkTo(escaped(title), key, n, await preview(base, source))}** ${file}${stale}`;
  });
  const heading = answer.outOfDomain === true ? "The nearest" : "Sources";
  return `\n\n---\n\n**${heading}**\n\n${(await Promise.all(all)).join("\n")}\n`;
}

/** What other repositories have on it, quoted: as text, with the address of the commit that was pushed. */
function elsewhere({ elsewhere: all = [] }: Answer): string {
  if (all.length === 0) {
    return "";
  }
  const items = all.map(({ repository, path, title, passage, age, link }) => {
    const shown = link === undefined ? escaped(title) : `[${escaped(title)}](<${link}>)`;
    const quoted = passage.trim().split(/\s*\n\s*/).slice(0, 3).map((line) => `  > ${escaped(line)}`).join("  \n");
    return `- **${shown}** ${escaped(`${repository} · ${path}`)} (${escaped(age)})\n\n${quoted}`;
  });
  return `\n\n---\n\n**In other repositories**\n\n${items.join("\n")}\n`;
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
        void failed(message(error));
      }
      return undefined;
    }
  });
}

const startTree = "Start a context tree";

/** Shows a failure; where there is no context tree, with the way to one. */
async function failed(why: string): Promise<void> {
  const buttons = why.includes("no context tree in this folder") ? [startTree] : [];
  if ((await vscode.window.showErrorMessage(`brv: ${plain(why)}`, ...buttons)) === startTree) {
    await vscode.commands.executeCommand("brv.initTree");
  }
}
