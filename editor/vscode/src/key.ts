import * as vscode from "vscode";
import { plain } from "./plain";
import { openSettings } from "./settings";

/** Where providers are if the settings name no address. */
const own: Readonly<Record<string, string>> = { openai: "https://api.openai.com", anthropic: "https://api.anthropic.com" };

const prefix = "brv.key:";
const storedOrigins = "brv.keys";

/**
 * Keys of models, in the editor's secret store. A key is bound to the origin it is for: scheme, host and port. It
 * is never in settings, and goes only to the server when that asks for this origin.
 */
export class Keys {
  private readonly secrets: vscode.SecretStorage;
  private readonly state: vscode.Memento;
  /** Keys that the server got, as they are and as they stand in JSON. */
  private readonly told = new Set<string>();

  constructor(extension: Pick<vscode.ExtensionContext, "secrets" | "globalState">) {
    this.secrets = extension.secrets;
    this.state = extension.globalState;
  }

  /** Calls back when a key was stored or deleted, also in another window. */
  onDidChange(told: () => void): vscode.Disposable {
    return this.secrets.onDidChange(({ key }) => {
      if (key.startsWith(prefix)) {
        told();
      }
    });
  }

  /** The key for an origin; null if there is none. */
  async get(origin: string): Promise<string | null> {
    const key = (await this.secrets.get(prefix + originOf(origin))) ?? null;
    if (key) {
      this.told.add(key).add(JSON.stringify(key).slice(1, -1));
    }
    return key;
  }

  /**
   * A log in which these keys are hidden. The client traces what it answers where the user's `brv.trace.server` says
   * so, in either of two forms, one of which names no method: so the keys are looked for, not the request.
   */
  hiding(log: vscode.LogOutputChannel): vscode.LogOutputChannel {
    const hidden = (text: string) => [...this.told].reduce((shown, key) => shown.replaceAll(key, "[hidden]"), text);
    return new Proxy({} as vscode.LogOutputChannel, {
      get(_, name) {
        const member: unknown = Reflect.get(log, name);
        return typeof member !== "function"
          ? member
          : (...said: unknown[]): unknown => Reflect.apply(member, log, said.map((one) => (typeof one === "string" ? hidden(one) : one)));
      },
    });
  }

  /** Asks for the key of the server that the settings name, and stores it. */
  async set(): Promise<void> {
    const origin = configuredOrigin();
    if (origin === undefined) {
      await explainSettings();
      return;
    }
    const key = await vscode.window.showInputBox({
      title: "Set the model's key",
      prompt: `Kept in the editor's secret store, and sent to ${origin} only`,
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) => (/^[\x21-\x7e]+$/.test(text.trim()) ? undefined : "Type or paste the key."),
    });
    if (key === undefined) {
      return;
    }
    await this.state.update(storedOrigins, [...new Set([...this.origins(), origin])]);
    await this.secrets.store(prefix + origin, key.trim());
    void vscode.window.showInformationMessage(`brv: the key for ${plain(origin)} is stored.`);
  }

  /** Deletes a key that the user chooses. */
  async forget(): Promise<void> {
    const origins = this.origins();
    if (origins.length === 0) {
      void vscode.window.showInformationMessage("brv: no key is stored.");
      return;
    }
    const origin = await vscode.window.showQuickPick(origins, { title: "Forget the model's key" });
    if (origin !== undefined) {
      await this.secrets.delete(prefix + origin);
      await this.state.update(storedOrigins, origins.filter((other) => other !== origin));
    }
  }

  private origins(): string[] {
    return this.state.get<string[]>(storedOrigins, []);
  }
}

/** The origin that the settings name; undefined if they name no server that takes a key. */
function configuredOrigin(): string | undefined {
  const settings = vscode.workspace.getConfiguration("brv.model");
  const usual = own[settings.get("provider", "off")];
  return usual === undefined ? undefined : originOf(settings.get("endpoint", "") || usual);
}

/** Scheme, host and port of an address as browsers write them, so that each origin has one spelling. */
export function originOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.origin : undefined;
}

async function explainSettings(): Promise<void> {
  const problem = "brv: only a model with brv.model.provider openai or anthropic, and an address that starts with http, has a key.";
  if ((await vscode.window.showInformationMessage(problem, "Open settings")) === "Open settings") {
    await openSettings("brv.model");
  }
}
