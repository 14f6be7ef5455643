import * as vscode from "vscode";

/** So many commands of lenses are kept; the oldest go first. */
const most = 500;

const kept = new Map<string, vscode.Disposable>();

/**
 * A command of a lens that outlives it. The editor forgets a lens's arguments as soon as it asks for lenses
 * again, and a click that comes just then fails ("Actual command not found"); a command without arguments stays.
 */
export function steady({ title, command, arguments: args = [] }: vscode.Command): vscode.Command {
  const id = `brv.lens.${JSON.stringify([command, args])}`;
  if (!kept.has(id)) {
    kept.set(id, vscode.commands.registerCommand(id, () => vscode.commands.executeCommand(command, ...args)));
    for (const [old, registered] of kept) {
      if (kept.size <= most) {
        break;
      }
      registered.dispose();
      kept.delete(old);
    }
  }
  return { title, command: id };
}

/** Switches the lines over code on or off, for the user. */
export async function toggleLenses(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("brv.codeLens");
  await settings.update("code", !settings.get("code", true), vscode.ConfigurationTarget.Global);
}
