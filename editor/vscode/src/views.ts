import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

const scheme = "brv-view";
const linkCommand = "brv.page.link";

/** How a text is shown as it reads. */
export interface Page {
  /** There is one page of a key. */
  key: string;
  /** The kind of its panel, by which buttons are shown over it. */
  type?: "brv.answer" | "brv.page";
  /** What its links do; linkTo leads to the nth. */
  acts?: (() => unknown)[];
}

/** Texts of ours, read-only: documents, which are gone when they are closed, and pages that show Markdown as it reads. */
export class Views implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;
  private readonly pages = new Map<string, { panel: vscode.WebviewPanel; acts: (() => unknown)[] }>();

  constructor(extension: Pick<vscode.ExtensionContext, "subscriptions">) {
    extension.subscriptions.push(
      this.changes,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString())),
      vscode.commands.registerCommand(linkCommand, (key, act) => this.pages.get(key)?.acts[act]?.()),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /**
   * Opens text in an editor whose tab is called name. There is one document of a key and name, which follows; silently
   * it is only brought up to date where it is open.
   */
  async show(name: string, text: string, key: string, silently = false): Promise<void> {
    const uri = this.put(name, text, key);
    if (!silently) {
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    }
  }

  private put(name: string, text: string, key: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme, path: `/${encodeURIComponent(key)}/${fileName(name)}` });
    this.texts.set(uri.toString(), text);
    this.changes.fire(uri);
    return uri;
  }

  /** Whether a document of a key is open, be it from the window before. */
  isOpen(key: string): boolean {
    return vscode.workspace.textDocuments.some(({ uri }) => uri.scheme === scheme && uri.path.startsWith(`/${key}/`));
  }

  /** Opens a page, or brings it to the front as it now reads. */
  async showRendered(name: string, text: string, page: Page): Promise<void> {
    const { key, type = "brv.page" } = page;
    const options = {
      enableScripts: true, // the policy below lets none run; without it no timer does either, which checks of accessibility need
      enableForms: false,
      enableFindWidget: true,
      enableCommandUris: [linkCommand],
      localResourceRoots: styles().map(({ folder }) => folder),
    };
    const panel = this.pages.get(key)?.panel ?? vscode.window.createWebviewPanel(type, name, vscode.ViewColumn.Active, options);
    if (!this.pages.has(key)) {
      this.pages.set(key, { panel, acts: [] });
      panel.onDidDispose(() => this.pages.delete(key));
    }
    panel.reveal();
    await this.updateRendered(text, page);
  }

  /** Brings a page up to date, if it is open. What it shows is a document too, for other extensions. */
  async updateRendered(text: string, { key, acts = [] }: Page): Promise<void> {
    const shown = this.pages.get(key);
    if (shown !== undefined) {
      await vscode.workspace.openTextDocument(this.put(shown.panel.title, text, key));
      const html = await rendered(text);
      shown.acts = acts;
      shown.panel.webview.html = document(shown.panel, html);
    }
  }

  /** Whether a page is seen, in one of the groups of editors. */
  isSeen(key: string): boolean {
    return this.pages.get(key)?.panel.visible === true;
  }

  /** The key of the page that has the focus. */
  get front(): string | undefined {
    return [...this.pages].find(([, { panel }]) => panel.active)?.[0];
  }
}

/** A link of a page in Markdown, to the nth of its acts. What entries say can name no act that the page does not have. */
export function linkTo(text: string, key: string, act: number, title = ""): string {
  return `[${text}](command:${linkCommand}?${encodeURIComponent(JSON.stringify([key, act]))}${title && ` "${title}"`})`;
}

/** Markdown as the editor itself renders it; as it is written where that is switched off. */
async function rendered(text: string): Promise<string> {
  const plain = () => `<pre>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</pre>`;
  return vscode.commands.executeCommand<string>("markdown.api.render", text).then((html) => html ?? plain(), plain);
}

/** The page around rendered Markdown. The policy lets nothing run and fetches nothing but the editor's own styles. */
function document({ title, webview }: vscode.WebviewPanel, html: string): string {
  const nonce = randomBytes(16).toString("hex");
  const links = styles().map(({ sheet }) => `<link rel="stylesheet" href="${webview.asWebviewUri(sheet)}">`);
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; style-src ${webview.cspSource} 'nonce-${nonce}'">
${links.join("\n")}<style nonce="${nonce}">main { max-width: 60em; } a { text-decoration: underline; }</style></head>
<body><main class="markdown-body">${html}</main></body></html>`;
}

/** The style sheets of the editor's own preview of Markdown. */
function styles(): { folder: vscode.Uri; sheet: vscode.Uri }[] {
  const preview = vscode.extensions.getExtension("vscode.markdown-language-features");
  const sheets: string[] = preview?.packageJSON.contributes?.["markdown.previewStyles"] ?? [];
  return preview === undefined ? [] : sheets.map((path) => ({ folder: preview.extensionUri, sheet: vscode.Uri.joinPath(preview.extensionUri, path) }));
}

function fileName(name: string): string {
  return `${name.replaceAll("/", "∕").slice(0, 80)}.md`;
}
