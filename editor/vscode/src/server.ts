import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, statSync } from "node:fs";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type * as Client from "./client";
import type { Keys } from "./key";
import { EditorModel } from "./model";
import { message, plain } from "./plain";
import { findProgram, type Program } from "./program";
import { openSettings } from "./settings";
import type { Status } from "./status";

/** What commands need of the server. */
export type Requests = Pick<Server, "request" | "requestOfModel" | "isRunning" | "hasModel">;

/** Who hears of a request before its answer is there. */
export interface Heard<Result> {
  /** What there is of the answer already. */
  found?: (part: Result) => void;
  /** What is being done. */
  doing?: (message: string) => void;
}

/** How long a server that was stopped may take to end, in ms. */
const mostEnding = 2000;

/** The running server, if one could be started. Failures are shown, with what to do next. */
export class Server {
  private client: LanguageClient | undefined;
  private process: ChildProcess | undefined;
  private turn: Promise<void> = Promise.resolve();
  private readonly log: vscode.LogOutputChannel;
  private readonly extension: vscode.ExtensionContext;
  private readonly status: Status;
  private readonly keys: Keys;
  private readonly model: EditorModel;
  private readonly runs = new vscode.EventEmitter<boolean>();
  /** Fires when the server begins to run, and when it ends. */
  readonly onDidRun = this.runs.event;

  constructor(extension: vscode.ExtensionContext, status: Status, keys: Keys) {
    this.extension = extension;
    this.status = status;
    this.keys = keys;
    this.log = keys.hiding(vscode.window.createOutputChannel("brv", { log: true }));
    this.model = new EditorModel(extension.languageModelAccessInformation);
    extension.subscriptions.push(
      this.log,
      this.runs,
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.notify("brv/didChangeTrust", { trusted: true })),
      keys.onDidChange(() => this.notify("brv/didChangeSecret", {})),
    );
  }

  get isRunning(): boolean {
    return this.client !== undefined;
  }

  /** Whether the server has a language model that it can ask. */
  get hasModel(): boolean {
    return this.status.hasModel;
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

  /** Sends a request, starting the server first if it is not running. Who wants to hears of it meanwhile. */
  async request<Result>(method: string, params: object, token: vscode.CancellationToken, heard?: Heard<Result>): Promise<Result> {
    if (this.client === undefined) {
      await this.start();
    }
    if (this.client === undefined) {
      throw new vscode.CancellationError(); // the reason has been shown
    }
    return heard === undefined
      ? this.client.sendRequest<Result>(method, params, token)
      : loaded().requestHeard(this.client, method, params, token, heard);
  }

  /** Sends a request that may ask a model, which the user may have to allow first. */
  async requestOfModel<Result>(method: string, params: object, token: vscode.CancellationToken, heard?: Heard<Result>): Promise<Result> {
    await this.model.consent(token);
    return this.request(method, params, token, heard);
  }

  /** Tells a running server; one that starts later asks. */
  private notify(method: string, params: object): void {
    this.client?.sendNotification(method, params).catch((error: unknown) => this.log.error(message(error)));
  }

  /** Starting and stopping take turns: a client cannot be stopped while it starts. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch((error: unknown) => this.log.error(message(error)));
    return this.turn;
  }

  /** The path of the program that runs, for what else starts it. */
  program(): string {
    const found = this.found();
    if ("problem" in found) {
      throw new Error(found.problem);
    }
    return found.path;
  }

  private found(): Program {
    return findProgram({
      // The setting's scope is "machine": a project cannot choose which program runs.
      configured: vscode.workspace.getConfiguration("brv.server").get("path", ""),
      extensionDir: this.extension.extensionPath,
      platform: process.platform,
      arch: process.arch,
      isProgram,
    });
  }

  private async open(): Promise<void> {
    if (this.client !== undefined) {
      return;
    }
    const program = this.found();
    if ("problem" in program) {
      void this.explain(program.problem);
      return;
    }
    let first: ChildProcess | undefined = started(program.path); // it reads the folder while the client is loaded
    try {
      await once(first, "spawn");
      const load = loaded();
      const { log, status, keys, model } = this;
      this.client = load.connect({
        server: () => {
          this.process = first ?? started(program.path);
          first = undefined;
          return this.process;
        },
        log, status, keys, model,
        ran: (running) => this.runs.fire(running),
      });
      await this.client.start();
    } catch (error) {
      this.client = undefined;
      (first ?? this.process)?.kill("SIGKILL"); // the client ends no process that it did not start itself
      void this.explain(`${program.path} did not start: ${message(error)}.`);
    }
  }

  private async close(): Promise<void> {
    const { client, process } = this;
    this.client = undefined;
    if (client?.needsStop()) {
      await client.stop();
      setTimeout(() => process?.kill("SIGKILL"), mostEnding).unref();
    }
  }

  /** Shows a problem. Nobody waits for it: it stands until the user answers. */
  private async explain(problem: string): Promise<void> {
    this.log.error(problem);
    const choice = await vscode.window.showErrorMessage(`brv: ${plain(problem)}`, "Open settings", "Show log");
    if (choice === "Open settings") {
      await openSettings("brv.server.path");
    } else if (choice === "Show log") {
      this.log.show();
    }
  }
}

/** The language client, which is loaded once a server starts. */
function loaded(): typeof Client {
  return require("./client.cjs") as typeof Client;
}

function started(program: string): ChildProcess {
  return spawn(program, { stdio: "pipe" }).on("error", () => {}); // a failure is seen by who waits for it
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
