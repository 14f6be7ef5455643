import * as vscode from "vscode";

/** Whether the editor works on another machine, whose own settings are those of its programs and models. */
export function isRemote(): boolean {
  return vscode.env.remoteName !== undefined;
}

/** Shows settings of a machine: of the other one where the editor works there, as the user's do not count for it. */
export async function openSettings(query: string): Promise<void> {
  if (isRemote()) {
    await vscode.commands.executeCommand("workbench.action.openRemoteSettings", { query });
  } else {
    await vscode.commands.executeCommand("workbench.action.openSettings", query);
  }
}
