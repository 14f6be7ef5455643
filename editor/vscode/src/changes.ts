import * as vscode from "vscode";

const treeFolder = "/.brv/context-tree/";

/** Shows an entry, and beside it what changed in the code that it names: a document of the server's, whose address is given. */
export async function showChanges(entry: vscode.Uri, preserveFocus = false): Promise<vscode.Uri | undefined> {
  const at = entry.path.lastIndexOf(treeFolder);
  const folder = vscode.workspace.getWorkspaceFolder(entry);
  if (at < 0 || folder === undefined) {
    return undefined;
  }
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  const path = `/${entry.path.slice(at + treeFolder.length)}`;
  const changes = vscode.Uri.from({ scheme: "brv", authority: "diff", path, query: several ? folder.uri.fsPath : "" });
  await vscode.window.showTextDocument(entry, { viewColumn: vscode.ViewColumn.One, preview: true, preserveFocus });
  await vscode.window.showTextDocument(changes, { viewColumn: vscode.ViewColumn.Two, preview: true, preserveFocus });
  return changes;
}
