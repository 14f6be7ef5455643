import * as vscode from "vscode";
import type { Middleware, ProgressToken } from "vscode-languageclient/node";

export const menuCommand = "brv.menu";

/**
 * The item in the status bar: what the server is doing, and a menu. Reading the code is
 * shown here and nowhere else; what the user can cancel keeps the editor's own display.
 */
export class Status {
  private readonly item = vscode.window.createStatusBarItem("brv.status", vscode.StatusBarAlignment.Right);
  private readonly work = new Map<ProgressToken, { title: string; percent?: number }>();

  constructor(extension: vscode.ExtensionContext) {
    this.item.name = "Context tree";
    this.item.command = menuCommand;
    extension.subscriptions.push(this.item, vscode.workspace.onDidGrantWorkspaceTrust(() => this.render()));
  }

  /** Shows that a server runs, or hides the item. */
  running(yes: boolean): void {
    this.work.clear();
    if (yes) {
      this.render();
      this.item.show();
    } else {
      this.item.hide();
    }
  }

  readonly middleware: Pick<Middleware, "handleWorkDoneProgress"> = {
    handleWorkDoneProgress: (token, params, next) => {
      const percent = params.kind === "end" ? undefined : params.percentage;
      const known = this.work.get(token);
      if (params.kind === "begin" && params.cancellable !== true) {
        this.work.set(token, { title: params.title, ...(percent !== undefined && { percent }) });
      } else if (params.kind === "report" && known !== undefined) {
        this.work.set(token, { ...known, ...(percent !== undefined && { percent }) });
      } else {
        this.work.delete(token);
        next(token, params);
      }
      this.render();
    },
  };

  private render(): void {
    const [work] = this.work.values();
    if (work !== undefined) {
      this.item.text = `$(sync~spin) brv${work.percent === undefined ? "" : ` ${work.percent}%`}`;
      this.item.tooltip = `brv: ${work.title}`;
    } else if (vscode.workspace.isTrusted) {
      this.item.text = "$(book) brv";
      this.item.tooltip = "brv: the context tree is ready";
    } else {
      this.item.text = "$(shield) brv";
      this.item.tooltip = "brv: git's history is not read, because this workspace is not trusted";
    }
  }
}

/** Offers what can be done with the tree. */
export async function menu(): Promise<void> {
  const items = [
    { label: "$(comment-discussion) Ask the context tree", command: "brv.ask" },
    { label: "$(package) Pack context for task", command: "brv.packTask" },
    { label: "$(checklist) Check the context tree", command: "brv.checkTree" },
    { label: "$(info) Show status", command: "brv.showStatus" },
    ...(vscode.workspace.isTrusted ? [] : [{ label: "$(shield) Manage workspace trust", command: "workbench.trust.manage" }]),
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: "brv" });
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command);
  }
}
