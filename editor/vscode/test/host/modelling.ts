import assert from "node:assert/strict";
import * as vscode from "vscode";
import { EditorModel, type Request } from "../../src/model.ts";
import { eventually, test } from "./harness.ts";

interface Asked {
  model: string;
  said: string[];
  tools: string[];
  answer?: string;
}

const asked = () => vscode.commands.executeCommand<Asked[]>("brv-test.asked");
const token = () => new vscode.CancellationTokenSource().token;

/** A model without an account has nothing to allow. */
const model = new EditorModel({ onDidChange: () => new vscode.Disposable(() => {}), canSendRequest: () => true });
const tools = [{ name: "search", description: "Searches", parameters: { type: "object", properties: {} } }];

function says(...messages: Request["messages"]): Request {
  return { model: "echo-family", system: "Be brief.", messages, tools };
}

/** What goes through the editor's own interface of language models, to a model that an extension brings. */
export function modelling(): void {
  test("a conversation with tools reaches the editor's model, and its answer comes back", async () => {
    const answer = await eventually("model", async () => model.complete(says({ role: "user", text: "Why?" }), token()).catch(() => undefined));
    assert.deepEqual([answer.text, answer.calls], ["Why?", []]);
    const { calls } = await model.complete(says({ role: "user", text: "call it" }), token());
    assert.deepEqual(calls, [{ id: "c1", tool: "search", arguments: { text: "call it" } }]);
    await model.complete(says(
      { role: "user", text: "call it" },
      { role: "assistant", text: "", calls },
      { role: "tool", results: [{ id: "c1", text: "found" }] },
    ), token());
    assert.deepEqual((await asked()).at(-1), {
      model: "echo",
      said: ["user: Be brief.", "user: call it", 'assistant: call c1: search {"text":"call it"}', "user: result c1: found"],
      tools: ["search"],
    });
  });

  test("a request that is cancelled is cancelled at the editor's model", async () => {
    const source = new vscode.CancellationTokenSource();
    const before = (await asked()).length;
    const answer = model.complete(says({ role: "user", text: "wait" }), source.token).then(() => "answered", () => "ended");
    await eventually("request", async () => (await asked()).length > before || undefined);
    source.cancel();
    await answer;
    await eventually("end", async () => (await asked()).at(-1)?.said[0] === "cancelled" || undefined);
  });

  test("a name that no model has is answered with those that there are", async () => {
    const other = { ...says({ role: "user", text: "Why?" }), model: "none" };
    await assert.rejects(model.complete(other, token()), /no model "none"; brv\.model\.name can be .*echo/);
  });

  test("a question goes to the editor's model, where the settings say so", async () => {
    const settings = vscode.workspace.getConfiguration("brv.model");
    await settings.update("provider", "editor", vscode.ConfigurationTarget.Global);
    try {
      const question = "What happens to the sessions of a user when refresh tokens are rotated while a migration runs?";
      await eventually("request to the model", async () => {
        await vscode.commands.executeCommand("brv.ask", { text: question });
        return (await asked()).find(({ said }) => said.some((text) => text.includes("while a migration runs")));
      });
    } finally {
      await settings.update("provider", undefined, vscode.ConfigurationTarget.Global);
    }
  });

  test("what was found is shown while the editor's model is asked, and then what came of that", async () => {
    const settings = vscode.workspace.getConfiguration("brv.model");
    await settings.update("provider", "editor", vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand("brv-test.hold");
    try {
      const text = "What happens to the rows of a token family when sessions are migrated while tokens expire?";
      const asking = (document: vscode.TextDocument) => document.getText().includes(text) && document.getText().includes("A model is answering");
      let answered: Thenable<unknown> = Promise.resolve();
      const page = await eventually("what was found", async () => {
        const shown = vscode.workspace.textDocuments.find(asking);
        if (shown === undefined && (await settled(answered))) answered = vscode.commands.executeCommand("brv.ask", { text });
        return shown;
      });
      await vscode.commands.executeCommand("brv-test.release");
      await answered;
      await eventually("what came of it", async () => !asking(page) || undefined);
      assert.match(page.getText(), /> .*is not shown.*\n\n.*(Best|Closest) passages/s);
    } finally {
      await vscode.commands.executeCommand("brv-test.release");
      await settings.update("provider", undefined, vscode.ConfigurationTarget.Global);
    }
  });
}

/** Whether something ended already: the settings may not have reached the server at the first question. */
async function settled(work: Thenable<unknown>): Promise<boolean> {
  const pending = Symbol("pending");
  return (await Promise.race([work, new Promise((resolve) => setTimeout(resolve, 100, pending))])) !== pending;
}

/** What a real model makes of a question, see ../workbench/model: it is asked in a form that it takes, and its answer is shown or kept back. */
export function realModel(): void {
  test("a question goes through the editor to a real model, and its answer is checked", async () => {
    const settings = vscode.workspace.getConfiguration("brv.model");
    for (const [key, value] of Object.entries({ provider: "editor", name: "real", contextTokens: 2048, patienceSeconds: 180 })) {
      await settings.update(key, value, vscode.ConfigurationTarget.Global);
    }
    const text = "What happens to the sessions of a user when refresh tokens are rotated while a migration runs?";
    const said = await eventually("answer of the model", async () => {
      await vscode.commands.executeCommand("brv.ask", { text });
      return (await asked()).find(({ model, answer }) => model === "real" && answer);
    });
    assert.ok(said.said.join("\n").length < 8192, "the prompt is longer than the model takes");
    console.log(`ok      it said: ${said.answer?.replaceAll("\n", " ")}`);
    const shown = await eventually("text", async () => {
      const texts = vscode.workspace.textDocuments.map((document) => document.getText());
      return texts.find((document) => document.includes("while a migration runs") && /is not shown|tokens: \d+ in, \d+ out/.test(document));
    });
    console.log(`ok      the reader sees: ${shown.split("\n").filter((line) => /is not shown|tokens: /.test(line)).join(" ")}`);
  });
}
