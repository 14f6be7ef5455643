import * as vscode from "vscode";
import type { Middleware, ProgressToken } from "vscode-languageclient/node";

export const menuCommand = "brv.menu";

/** What the server says of itself, when something of it changes; further keys stand beside these. */
export interface ServerStatus {
  /** The model that may be asked, or why there is none. */
  model?: { provider: string; name?: string; origin?: string; problem?: string };
}

/**
 * The item in the status bar: what the server is doing, and a menu. Reading the code is
 * shown here and nowhere else; what the user can cancel keeps the editor's own display.
 */
export class Status {
  private readonly item = vscode.window.createStatusBarItem("brv.status", vscode.StatusBarAlignment.Right);
  private readonly work = new Map<ProgressToken, { title: string; percent?: number }>();
  private model: ServerStatus["model"];
  private pending = 0;

  constructor(extension: vscode.ExtensionContext) {
    this.item.name = "Context tree";
    this.item.command = menuCommand;
    extension.subscriptions.push(this.item, vscode.workspace.onDidGrantWorkspaceTrust(() => this.render()));
  }

  /** Shows that a server runs, or hides the item. */
  running(yes: boolean): void {
    this.work.clear();
    this.model = undefined;
    if (yes) {
      this.render();
      this.item.show();
    } else {
      this.item.hide();
    }
  }

  /** Takes what the server says of itself. */
  told(status: ServerStatus): void {
    this.model = status.model;
    this.render();
  }

  /** Takes how many operations wait for a review. */
  waiting(pending: number): void {
    this.pending = pending;
    this.render();
  }

  get hasModel(): boolean {
    return this.model !== undefined && this.model.provider !== "off" && this.model.problem === undefined;
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
    } else {
      const [icon, state] = vscode.workspace.isTrusted
        ? ["book", "the context tree is ready"]
        : ["shield", "git's history is not read, because this workspace is not trusted"];
      const waiting = this.pending === 0 ? [] : [`${this.pending} waiting for a review`];
      this.item.text = `$(${icon}) brv${this.pending === 0 ? "" : ` $(git-pull-request) ${this.pending}`}`;
      this.item.tooltip = [`brv: ${state}`, ...waiting, this.modelSaid()].join("\n");
    }
  }

  /** Which model is in use, or why none. */
  private modelSaid(): string {
    const { provider, name, origin, problem } = this.model ?? { provider: "off" };
    if (problem !== undefined) {
      return `no model: ${problem}`;
    }
    return provider === "off" ? "no model is set up" : `model: ${name || "any"} at ${origin || provider}`;
  }

  /** Offers what can be done with the tree. */
  async menu(): Promise<void> {
    const keyed = this.model?.provider === "openai" || this.model?.provider === "anthropic";
    const items = [
      { label: "$(comment-discussion) Ask the context tree", command: "brv.ask" },
      { label: "$(package) Pack context for task", command: "brv.packTask" },
      { label: "$(lightbulb) Propose knowledge from the changes", command: "brv.proposeChanges" },
      { label: "$(eye) Review what is proposed", description: `${this.pending} waiting`, command: "brv.reviewQueue.focus" },
      { label: "$(moon) Dream: merge, link, archive", command: "brv.dreamNow" },
      { label: "$(checklist) Check the context tree", command: "brv.checkTree" },
      { label: "$(info) Show status", command: "brv.showStatus" },
      { label: "$(sparkle) Set up the model", description: this.modelSaid(), command: "workbench.action.openSettings", argument: "brv.model" },
      ...(keyed ? [{ label: "$(key) Set the model's key", command: "brv.setKey" }] : []),
      ...(vscode.workspace.isTrusted ? [] : [{ label: "$(shield) Manage workspace trust", command: "workbench.trust.manage" }]),
    ];
    const chosen: { command: string; argument?: string } | undefined = await vscode.window.showQuickPick(items, { title: "brv" });
    if (chosen !== undefined) {
      await vscode.commands.executeCommand(chosen.command, ...(chosen.argument === undefined ? [] : [chosen.argument]));
    }
  }
}
