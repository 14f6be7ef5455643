// A language model that tells what it was asked, so that tests see what arrives: it answers with the last text, and
// where that begins with "call", with a call of the first tool. The command brv-test.asked gives all requests;
// brv-test.hold keeps answers back until brv-test.release. The model "real" is the one that $BRV_MODEL_ENDPOINT serves, in OpenAI's form.
const vscode = require("vscode");

const asked = [];
let held = { promise: Promise.resolve() }; // what answers wait for

function texts(message) {
  return message.content.flatMap((part) => {
    if (part instanceof vscode.LanguageModelTextPart) return [part.value];
    if (part instanceof vscode.LanguageModelToolResultPart) return [`result ${part.callId}: ${part.content.map(({ value }) => value).join("")}`];
    return part instanceof vscode.LanguageModelToolCallPart ? [`call ${part.callId}: ${part.name} ${JSON.stringify(part.input)}`] : [];
  });
}

/** What the real model says to the messages. */
async function forwarded(messages, token) {
  const given = new AbortController();
  token.onCancellationRequested(() => given.abort());
  const role = (message) => (message.role === vscode.LanguageModelChatMessageRole.User ? "user" : "assistant");
  const body = { model: "smol", max_tokens: 128, temperature: 0, messages: messages.map((message) => ({ role: role(message), content: texts(message).join("\n") })) };
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${process.env.BRV_MODEL_ENDPOINT}/chat/completions`, { method: "POST", headers, body: JSON.stringify(body), signal: given.signal });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()).choices[0].message.content;
}

exports.activate = (extension) => {
  const capabilities = { toolCalling: true, imageInput: false };
  const information = ["echo", "other", ...(process.env.BRV_MODEL_ENDPOINT ? ["real"] : [])].map((id) => ({ id, name: id, family: `${id}-family`, version: "1", maxInputTokens: 1e5, maxOutputTokens: 1e5, capabilities }));
  extension.subscriptions.push(
    vscode.commands.registerCommand("brv-test.asked", () => asked),
    vscode.commands.registerCommand("brv-test.hold", () => void (held = Promise.withResolvers())),
    vscode.commands.registerCommand("brv-test.release", () => held.resolve()),
    vscode.lm.registerLanguageModelChatProvider("brv-test", {
      provideLanguageModelChatInformation: async () => information,
      provideTokenCount: async () => 1,
      async provideLanguageModelChatResponse(model, messages, options, progress, token) {
        const said = messages.map((message) => `${message.role === vscode.LanguageModelChatMessageRole.User ? "user" : "assistant"}: ${texts(message).join("; ")}`);
        asked.push({ model: model.id, said, tools: (options.tools ?? []).map(({ name }) => name) });
        const last = texts(messages.at(-1)).at(-1) ?? "";
        await held.promise;
        if (model.id === "real") {
          asked.at(-1).answer = await forwarded(messages, token);
          progress.report(new vscode.LanguageModelTextPart(asked.at(-1).answer));
        } else if (last.startsWith("wait")) {
          await new Promise((resolve) => token.onCancellationRequested(resolve));
          asked.push({ model: model.id, said: ["cancelled"], tools: [] });
        } else if (last.startsWith("call")) {
          progress.report(new vscode.LanguageModelToolCallPart("c1", options.tools[0].name, { text: last }));
        } else {
          for (const piece of [last.slice(0, 3), last.slice(3)]) progress.report(new vscode.LanguageModelTextPart(piece));
        }
      },
    }),
  );
};
