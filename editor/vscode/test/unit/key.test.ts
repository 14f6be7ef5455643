import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { beforeEach, test } from "node:test";
import type { ExtensionContext, LogOutputChannel } from "vscode";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter, Trace, TraceFormat } from "vscode-jsonrpc/node";
import { Keys, originOf } from "../../src/key.ts";
import * as stand from "./vscode.ts";

beforeEach(stand.reset);

function keys(): { keys: Keys; stored: Map<string, string>; told: () => number } {
  const stored = new Map<string, string>();
  const state = new Map<string, unknown>();
  const changes = new stand.EventEmitter<{ key: string }>();
  const secrets = {
    get: async (name: string) => stored.get(name),
    store: async (name: string, value: string) => (stored.set(name, value), changes.fire({ key: name })),
    delete: async (name: string) => (stored.delete(name), changes.fire({ key: name })),
    onDidChange: changes.event,
  };
  const globalState = { get: (name: string, otherwise: unknown) => state.get(name) ?? otherwise, update: async (name: string, value: unknown) => state.set(name, value) };
  const made = new Keys({ secrets, globalState } as unknown as ExtensionContext);
  let told = 0;
  made.onDidChange(() => told++);
  changes.fire({ key: "another extension's" });
  return { keys: made, stored, told: () => told };
}

/** What a log gets of a client that gives a key to a server and traces that. */
async function traced(key: string, traceFormat: TraceFormat): Promise<string> {
  const { keys: made, stored } = keys();
  stored.set("brv.key:https://models.example", key);
  const lines: string[] = [];
  const log = made.hiding({ trace: (line: string) => void lines.push(line), appendLine: (line: string) => void lines.push(line), logLevel: 1 } as unknown as LogOutputChannel);
  assert.equal(log.logLevel, 1);
  const [up, down] = [new PassThrough(), new PassThrough()];
  const server = createMessageConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  const client = createMessageConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  client.onRequest("brv/secret", async ({ origin }: { origin: string }) => ({ key: await made.get(origin) }));
  const tell = (first: unknown, data?: string) => log.trace(typeof first === "string" ? `${first}\n${data ?? ""}` : JSON.stringify(first));
  await client.trace(Trace.Verbose, { log: tell }, { sendNotification: false, traceFormat });
  client.listen();
  server.listen();
  assert.deepEqual(await server.sendRequest("brv/secret", { origin: "https://models.example" }), { key });
  log.appendLine(`the server said ${key}`);
  client.dispose();
  server.dispose();
  return lines.join("\n");
}

test("a key that the server got is in no line of the log, also where requests are traced", async () => {
  for (const key of ["sk-canary-1234", 'quote"back\\slash']) {
    for (const format of [TraceFormat.Text, TraceFormat.JSON]) {
      const log = await traced(key, format);
      assert.match(log, /models\.example/);
      assert.match(log, /\[hidden\]/);
      for (const form of [key, JSON.stringify(key).slice(1, -1)]) {
        assert.ok(!log.includes(form), log);
      }
    }
  }
});

test("a key is asked for as a password, and kept for the origin that the settings name", async () => {
  const { keys: made, stored, told } = keys();
  stand.user.settings = { "brv.model.provider": "openai", "brv.model.endpoint": "https://Models.Example:443/v1/" };
  stand.user.answers = [" sk-1 "];
  await made.set();
  assert.deepEqual([...stored], [["brv.key:https://models.example", "sk-1"]]);
  assert.deepEqual(stand.user.seen, ["password: Set the model's key", "info: brv: the key for https://models.example is stored."]);
  assert.equal(told(), 1);
});

test("a provider without an address has its own", async () => {
  for (const [provider, origin] of [["openai", "https://api.openai.com"], ["anthropic", "https://api.anthropic.com"]] as const) {
    const { keys: made } = keys();
    stand.user.settings = { "brv.model.provider": provider, "brv.model.endpoint": "" };
    stand.user.answers = ["sk-2"];
    await made.set();
    assert.equal(await made.get(origin), "sk-2");
  }
});

test("without a provider that takes a key none is asked for", async () => {
  for (const settings of [{}, { "brv.model.provider": "editor" }, { "brv.model.provider": "openai", "brv.model.endpoint": "file:///etc" }]) {
    const { keys: made, stored } = keys();
    stand.reset();
    stand.user.settings = settings;
    stand.user.answers = ["Open settings"];
    await made.set();
    assert.equal(stored.size, 0);
    assert.deepEqual(stand.user.seen.slice(1), ["workbench.action.openSettings brv.model"]);
  }
});

test("what is no key is refused, and Escape stores nothing", async () => {
  const { keys: made, stored } = keys();
  stand.user.settings = { "brv.model.provider": "openai" };
  for (const no of ["", "two words", "sk\n1"]) {
    stand.user.answers = [no];
    await assert.rejects(made.set(), /refused/);
  }
  stand.user.answers = [undefined];
  await made.set();
  assert.equal(stored.size, 0);
});

test("a key goes to its own origin only, however that is spelled", async () => {
  const { keys: made } = keys();
  stand.user.settings = { "brv.model.provider": "openai", "brv.model.endpoint": "http://localhost:11434/v1" };
  stand.user.answers = ["sk-3"];
  await made.set();
  assert.equal(await made.get("http://LOCALHOST:11434"), "sk-3");
  for (const other of ["http://localhost", "https://localhost:11434", "http://localhost:11434.example", "", "localhost:11434"]) {
    assert.equal(await made.get(other), null, other);
  }
});

test("a key that is forgotten is gone", async () => {
  const { keys: made, stored, told } = keys();
  await made.forget();
  stand.user.settings = { "brv.model.provider": "anthropic" };
  stand.user.answers = ["sk-4", undefined, "https://api.anthropic.com"];
  await made.set();
  await made.forget();
  assert.equal(stored.size, 1, "Escape forgets nothing");
  await made.forget();
  assert.equal(stored.size, 0);
  assert.equal(told(), 2);
  await made.forget();
  assert.equal(stand.user.seen.at(-1), "info: brv: no key is stored.");
});

test("an origin has one spelling", () => {
  assert.equal(originOf("https://a.example/v1?x#y"), "https://a.example");
  assert.equal(originOf("http://[::1]:80/"), "http://[::1]");
  assert.equal(originOf("https://user:password@a.example:8443"), "https://a.example:8443");
  assert.equal(originOf("a.example"), undefined);
});
