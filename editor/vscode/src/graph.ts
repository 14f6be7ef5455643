import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { withProgress } from "./ask";
import { chosenFolder, inFolder } from "./folders";
import { openCommand } from "./selector";
import type { Requests } from "./server";

/** A picture as the server draws it; further keys stand beside these. */
interface Picture {
  nodes: { kind: string; path: string }[];
  /** With the line, from 1, in which one names the other. */
  links: { from: number; to: number; line?: number }[];
  /** How many nodes and links the picture leaves out. */
  left?: number;
  leftLinks?: number;
  svg: string;
}

/** The pictures that are shown, by their names: what draws one anew shows it where it stands. */
const shown = new Map<string, { panel: vscode.WebviewPanel; picture: Picture }>();

/** Shows the graph of what is known. The page moves in the picture and says what is chosen; nothing is laid out here. */
export async function showGraph({ extensionUri }: { extensionUri: vscode.Uri }, server: Requests): Promise<void> {
  const title = "Knowledge graph";
  const folder = await chosenFolder(title);
  const params = folder && { svg: true, uri: folder.uri.toString() };
  const picture = params && (await withProgress(`Drawing the ${title.toLowerCase()}`, (token) => server.request<Picture>("brv/graph", params, token)));
  if (folder === undefined || picture === undefined) {
    return;
  }
  const media = vscode.Uri.joinPath(extensionUri, "media");
  const options = { enableScripts: true, localResourceRoots: [media], retainContextWhenHidden: true };
  const name = inFolder(folder) + title;
  const before = shown.get(name);
  const panel = before?.panel ?? vscode.window.createWebviewPanel("brv.graph", name, vscode.ViewColumn.Active, options);
  shown.set(name, { panel, picture });
  if (before === undefined) {
    panel.onDidDispose(() => shown.delete(name));
    panel.webview.onDidReceiveMessage((chosen: { open: unknown; after: unknown }) => open(folder, (panel.viewColumn ?? 1) + 1, shown.get(name)!.picture, chosen)); // not "beside": what is opened there takes the focus
  }
  panel.reveal();
  const { webview } = panel;
  const source = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
  if (before?.picture.svg !== picture.svg) { // else what was chosen and enlarged stays
    webview.html = page(title, picture, webview.cspSource, source);
  }
}

/** Opens a node; one that names the node from which somebody came opens where it does. */
function open(folder: vscode.WorkspaceFolder, column: vscode.ViewColumn, { nodes, links }: Picture, chosen: { open: unknown; after: unknown }): void {
  const node = nodes[Number(chosen.open)];
  const uri = node && vscode.Uri.joinPath(folder.uri, node.path);
  const line = links.find(({ from, to }) => from === chosen.open && to === chosen.after)?.line ?? 1;
  if (uri?.path.startsWith(`${folder.uri.path}/`)) {
    const selection = new vscode.Range(line - 1, 0, line - 1, 0);
    void vscode.commands.executeCommand(openCommand, uri, { viewColumn: column, preview: true, ...(line > 1 && { selection }) });
  }
}

/** The page around a picture. The server has escaped what others wrote; the policy lets nothing run but the extension's own script. */
export function page(title: string, { svg, nodes, links, left, leftLinks }: Picture, csp: string, source: (name: string) => string): string {
  const nonce = randomBytes(16).toString("hex");
  const kinds = ["entry", "document", "code"].filter((kind) => nodes.some((node) => node.kind === kind));
  const out = [left && `${left} more`, leftLinks && `${leftLinks} links`].filter((text) => text).join(" and ");
  const boxes = kinds.map((kind) => `<label><input type="checkbox" checked data-kind="${kind}">${kind}</label>`).join("");
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${csp} 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<link rel="stylesheet" href="${source("graph.css")}"></head>
<body data-links="${links.flatMap(({ from, to }) => [from, to]).join()}">
<header><h1>${title}</h1><label>Find <input id="find" type="search" placeholder="title or path"></label>${boxes}
<button data-zoom="1.5" aria-label="Zoom in">+</button><button data-zoom="0.667" aria-label="Zoom out">−</button><button data-zoom="0">Fit</button>
${out && `<span>${out} are not shown</span>`}</header>
<main>${svg.replace("<style>", `<style nonce="${nonce}">`)}</main>
<footer id="says">Arrow keys go from one to the next, Enter opens it, + and − zoom, 0 shows all.</footer>
<script nonce="${nonce}" src="${source("graph.js")}"></script></body></html>`;
}
