import * as vscode from "vscode";

/** The folder that is meant: that of the document in the foreground, else the only one. */
function folder(): vscode.WorkspaceFolder | undefined {
  const document = vscode.window.activeTextEditor?.document;
  const folders = vscode.workspace.workspaceFolders ?? [];
  return (document && vscode.workspace.getWorkspaceFolder(document.uri)) ?? (folders.length === 1 ? folders[0] : undefined);
}

const openFolder = "Open a folder";

/** The folder that is meant; where there are several the user says which. Undefined: none was chosen, or none is open, which is said. */
export async function chosenFolder(what: string): Promise<vscode.WorkspaceFolder | undefined> {
  if ((vscode.workspace.workspaceFolders ?? []).length === 0) { // the editor's own list of folders would not even show
    const open = (chosen?: string) => chosen === openFolder && vscode.commands.executeCommand("vscode.openFolder");
    void vscode.window.showInformationMessage(`brv: ${what}: open a folder first.`, openFolder).then(open);
    return undefined;
  }
  return folder() ?? vscode.window.showWorkspaceFolderPick({ placeHolder: `${what}: in which folder?` });
}

/** The folder that is meant, where a model asks and nobody may be there who could choose. */
export function meantFolder(): vscode.WorkspaceFolder {
  const meant = folder();
  if (meant === undefined) {
    const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
    throw new Error(several ? "several folders are open; open a file in the folder that you mean" : "no folder is open");
  }
  return meant;
}

/** What stands before a title where several folders are open. */
export function inFolder(of: vscode.WorkspaceFolder | undefined): string {
  return of !== undefined && (vscode.workspace.workspaceFolders?.length ?? 0) > 1 ? `${of.name}: ` : "";
}
