// The language client is most of what the extension consists of. It is a bundle of its own, which server.ts loads
// while the server starts.
import type { ChildProcess } from "node:child_process";
import * as vscode from "vscode";
import { type ClientCapabilities, LanguageClient, LSPErrorCodes, ProgressType, ResponseError, RevealOutputChannelOn, State, WorkDoneProgress } from "vscode-languageclient/node";
import { curating } from "./curate";
import { drafts } from "./drafts";
import { hovering } from "./hovering";
import type { Keys } from "./key";
import { type EditorModel, editorHasModels, type Request } from "./model";
import { moving } from "./moving";
import { message } from "./plain";
import { references } from "./references";
import { renaming } from "./renaming";
import { documentSelector } from "./selector";
import type { Heard } from "./server";
import type { ServerStatus, Status } from "./status";

/** What a client is made of. */
export interface Parts {
  /** The server's process; asked again for each start after a crash. */
  server: () => ChildProcess;
  log: vscode.LogOutputChannel;
  status: Status;
  keys: Keys;
  model: EditorModel;
  /** Called when the server begins to run, and when it ends. */
  ran(running: boolean): void;
}

/** A client that was not started yet. */
export function connect({ server, log, status, keys, model, ran }: Parts): LanguageClient {
  const running = () => (client.isRunning() ? client : undefined);
  const { uriConverters, middleware } = drafts(() => client);
  const client: LanguageClient = new LanguageClient(
    "brv",
    "brv",
    async () => server(),
    {
      documentSelector,
      uriConverters,
      middleware: {
        ...middleware,
        ...curating,
        ...hovering(running),
        ...references(running),
        ...renaming(running),
        ...moving,
        ...status.middleware,
      },
      outputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never, // a request that a stopping server missed is no message with a stack
      // What went wrong while it started is explained by who started it, once, with what to do.
      initializationFailedHandler: () => false,
      initializationOptions: () => ({
        trusted: vscode.workspace.isTrusted,
        builtinMarkdown: true,
        editorModel: editorHasModels(),
        secrets: true,
        hoverLinks: true,
      }),
      // Entries are project files, so nothing in them may run commands or be HTML.
      markdown: { isTrusted: false, supportHtml: false },
    },
  );
  client.registerFeature(wantsStatus);
  client.onRequest("brv/model/complete", (request: Request, token: vscode.CancellationToken) => answering(model.complete(request, token)));
  client.onRequest("brv/secret", async ({ origin }: { origin: string }) => ({ key: await answering(keys.get(origin)) }));
  client.onNotification("brv/didChangeStatus", (said: ServerStatus) => status.told(said));
  client.onDidChangeState(({ newState }) => {
    status.running(newState === State.Running);
    ran(newState === State.Running);
  });
  return client;
}

/** Sends a request and tells what there is of its answer before it is there, and what is being done for it. */
export async function requestHeard<Result>(client: LanguageClient, method: string, params: object, token: vscode.CancellationToken, heard: Heard<Result>): Promise<Result> {
  const number = ++heardRequests;
  const [workDoneToken, partialResultToken] = [`brv-work-${number}`, `brv-part-${number}`];
  const ears = [
    client.onProgress(WorkDoneProgress.type, workDoneToken, (work) => heard.doing?.(("message" in work && work.message) || "")),
    client.onProgress(new ProgressType<Result>(), partialResultToken, (part) => heard.found?.(part)),
  ];
  try {
    return await client.sendRequest<Result>(method, { ...params, workDoneToken, partialResultToken }, token);
  } finally {
    ears.forEach((ear) => ear.dispose());
  }
}

let heardRequests = 0;

/** Announces that the server's status is wanted. */
const wantsStatus = {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { ...capabilities.experimental, brv: { status: true } };
  },
  initialize(): void {},
  getState: () => ({ kind: "static" as const }),
  clear(): void {},
};

/** The answer to a request of the server, or an error whose message is the one that the user is to read. */
async function answering<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof vscode.CancellationError ? LSPErrorCodes.RequestCancelled : LSPErrorCodes.RequestFailed;
    throw new ResponseError(code, message(error));
  }
}
