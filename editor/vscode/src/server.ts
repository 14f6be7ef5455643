import { accessSync, constants, statSync } from "node:fs";
import * as vscode from "vscode";
import { LanguageClient, State, TransportKind } from "vscode-languageclient/node";
import { curating } from "./curate";
import { hovering } from "./hovering";
import { findProgram } from "./program";
import { references } from "./references";
import { documentSelector } from "./selector";
import { Status } from "./status";

/** The running server, if one could be started. Failures are shown, with what to do next. */
export class Server {
  private client: LanguageClient | undefined;
  private turn: Promise<void> = Promise.resolve();
  private readonly log = vscode.window.createOutputChannel("brv", { log: true });
  private readonly extension: vscode.ExtensionContext;
  private readonly status: Status;

  constructor(extension: vscode.ExtensionContext) {
    this.extension = extension;
    this.status = new Status(extension);
    extension.subscriptions.push(
      this.log,
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.trusted()),
    );
  }

  start(): Promise<void> {
    return this.inTurn(() => this.open());
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.close());
  }

  restart(): Promise<void> {
    return this.inTurn(async () => {
      await this.close();
      await this.open();
    });
  }

  /** Sends a request, starting the server first if it is not running. */
  async request<Result>(method: string, params: object, token: vscode.CancellationToken): Promise<Result> {
    if (this.client === undefined) {
      await this.start();
    }
    if (this.client === undefined) {
      throw new vscode.CancellationError(); // the reason has been shown
    }
    return this.client.sendRequest<Result>(method, params, token);
  }

  /** Tells a running server of granted trust; one that starts later asks for it. */
  private trusted(): void {
    this.client?.sendNotification("brv/didChangeTrust", { trusted: true }).catch((error: unknown) => this.log.error(message(error)));
  }

  /** Starting and stopping take turns: a client cannot be stopped while it starts. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch((error: unknown) => this.log.error(message(error)));
    return this.turn;
  }

  private async open(): Promise<void> {
    if (this.client !== undefined) {
      return;
    }
    const program = findProgram({
      // The setting's scope is "machine": a project cannot choose which program runs.
      configured: vscode.workspace.getConfiguration("brv.server").get("path", ""),
      extensionDir: this.extension.extensionPath,
      platform: process.platform,
      arch: process.arch,
      isProgram,
    });
    if ("problem" in program) {
      void this.explain(program.problem);
      return;
    }
    const client = new LanguageClient(
      "brv",
      "brv",
      { command: program.path, transport: TransportKind.stdio },
      {
        documentSelector,
        middleware: { ...curating, ...hovering(() => this.client), ...references(() => this.client), ...this.status.middleware },
        outputChannel: this.log,
        initializationOptions: () => ({ trusted: vscode.workspace.isTrusted, builtinMarkdown: true }),
        // Entries are project files, so nothing in them may run commands or be HTML.
        markdown: { isTrusted: false, supportHtml: false },
      },
    );
    this.client = client;
    client.onDidChangeState(({ newState }) => this.status.running(newState === State.Running));
    try {
      await client.start();
    } catch (error) {
      this.client = undefined;
      void this.explain(`${program.path} did not start: ${message(error)}.`);
    }
  }

  private async close(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.needsStop()) {
      await client.stop();
    }
  }

  /** Shows a problem. Nobody waits for it: it stands until the user answers. */
  private async explain(problem: string): Promise<void> {
    this.log.error(problem);
    const choice = await vscode.window.showErrorMessage(`brv: ${problem}`, "Open settings", "Show log");
    if (choice === "Open settings") {
      await openSetting("brv.server.path");
    } else if (choice === "Show log") {
      this.log.show();
    }
  }
}

/** A machine's setting is on its own page when the editor works on another machine. */
async function openSetting(query: string): Promise<void> {
  if (vscode.env.remoteName === undefined) {
    await vscode.commands.executeCommand("workbench.action.openSettings", query);
  } else {
    await vscode.commands.executeCommand("workbench.action.openRemoteSettings", { query });
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
