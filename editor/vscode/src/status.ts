import * as vscode from "vscode";
import type { Middleware, ProgressToken } from "vscode-languageclient/node";
import { isRemote } from "./settings";

export const menuCommand = "brv.menu";
const walkthrough = "brv-lsp.brv-lsp#brv.start";

/** What the server says of itself, when something of it changes; further keys stand beside these. */
export interface ServerStatus {
  /** The model that may be asked, or why there is none. */
  model?: { provider: string; name?: string; origin?: string; problem?: string };
  /** "inactive": no folder has a context tree. */
  kind?: string;
  indexed?: number;
  stale?: number;
}

/** The operations of reviews. */
export interface ReviewCounts {
  /** Nothing is changed yet: they wait for a decision. */
  pending: number;
  /** Done already, to be looked at. */
  unreviewed: number;
}

/** What is said of reviews, without what there is none of. */
export function saidOfReviews({ pending, unreviewed }: ReviewCounts): string[] {
  return [
    ...(pending === 0 ? [] : [`${pending} waiting for a review`]),
    ...(unreviewed === 0 ? [] : [`${unreviewed} already done, to check`]),
  ];
}

/**
 * The item in the status bar: what the server is doing, and a menu. Reading the code is
 * shown here and nowhere else; what the user can cancel keeps the editor's own display.
 */
export class Status {
  private readonly item = vscode.window.createStatusBarItem("brv.status", vscode.StatusBarAlignment.Right);
  private readonly work = new Map<ProgressToken, { title: string; percent?: number }>();
  private model: ServerStatus["model"];
  private last: ServerStatus = {};
  private reviews: ReviewCounts = { pending: 0, unreviewed: 0 };
  private readonly changes = new vscode.EventEmitter<ServerStatus>();
  /** Fires when something of the tree changed: entries came or went, or are stale now. */
  readonly onDidChange = this.changes.event;

  constructor(extension: vscode.ExtensionContext) {
    this.item.name = "Context tree";
    this.item.command = menuCommand;
    extension.subscriptions.push(this.item, vscode.workspace.onDidGrantWorkspaceTrust(() => this.render()));
  }

  /** Shows that a server runs, or hides the item. */
  running(yes: boolean): void {
    this.work.clear();
    this.model = undefined;
    this.last = {};
    if (yes) {
      this.render();
      this.item.show();
    } else {
      this.item.hide();
    }
  }

  /** Takes what the server says of itself. */
  told(status: ServerStatus): void {
    const { kind, indexed, stale } = this.last;
    this.model = status.model;
    this.last = status;
    this.render();
    if (kind !== status.kind || indexed !== status.indexed || stale !== status.stale) {
      this.changes.fire(status);
    }
  }

  /** Takes how many operations wait for a review, and how many are done already. */
  waiting(reviews: ReviewCounts): void {
    this.reviews = reviews;
    this.render();
  }

  /** Whether a folder has a context tree; undefined while that is not known. */
  get hasTree(): boolean | undefined {
    return this.last.kind === undefined ? undefined : this.last.kind !== "inactive";
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
      const { indexed = 0, stale = 0 } = this.last;
      const [icon, state] = this.hasTree === false
        ? ["book", "no context tree yet; the documents of the repository already count"]
        : vscode.workspace.isTrusted
          ? ["book", indexed === 0 ? "the context tree is ready" : indexed === 1 ? "1 entry" : `${indexed} entries`]
          : ["shield", "this workspace is not trusted: git history is not used, so stale entries are not shown"];
      const left = stale === 0 ? [] : [stale === 1 ? "1 stale entry" : `${stale} stale entries`];
      const { pending } = this.reviews;
      const waiting = saidOfReviews(this.reviews);
      const marks = `${stale === 0 ? "" : ` $(warning) ${stale}`}${pending === 0 ? "" : ` $(git-pull-request) ${pending}`}`;
      this.item.text = `$(${icon}) brv${marks}`;
      this.item.tooltip = [`brv: ${state}`, ...left, ...waiting, this.modelSaid()].join("\n");
      const said = [stale === 0 ? "" : `${stale} stale`, pending === 0 ? "" : `${pending} waiting`].filter((text) => text);
      this.item.accessibilityInformation = { label: ["brv, context tree", ...said].join(", "), role: "button" };
    }
  }

  /** Which model is in use, or why none. */
  private modelSaid(): string {
    const { provider, name, origin, problem } = this.model ?? { provider: "off" };
    if (problem !== undefined) {
      return `no model: ${problem}`;
    }
    const here = isRemote() ? " in the settings of this remote machine" : "";
    return provider === "off" ? `no model is set up${here}` : `model: ${name || "any"} at ${origin || provider}`;
  }

  /** Offers what can be done with the tree. */
  async menu(): Promise<void> {
    const keyed = this.model?.provider === "openai" || this.model?.provider === "anthropic";
    const { stale = 0 } = this.last;
    const tree = this.hasTree !== false;
    const items = [
      ...(tree ? [] : [{ label: "$(add) Start a context tree", description: "in this folder", command: "brv.initTree" }]),
      { label: "$(comment-discussion) Ask the team's knowledge", command: "brv.ask" },
      { label: "$(package) Pack context for a task", command: "brv.packTask" },
      { label: "$(book) Show the knowledge", description: stale === 0 ? "" : `${stale} stale`, command: "brv.knowledge.focus" },
      { label: "$(checklist) Check documents and entries", command: "brv.checkTree" },
      ...(tree
        ? [
            { label: "$(lightbulb) Propose knowledge from the changes", command: "brv.proposeChanges" },
            {
              label: "$(eye) Review what is proposed",
              description: saidOfReviews(this.reviews).join(", "),
              command: "brv.reviewQueue.focus",
            },
            { label: "$(discard) Undo a change of the tree", command: "brv.undoChange" },
            { label: "$(wand) Dream: merge, link, archive", command: "brv.dreamNow" },
            { label: "$(info) Show status", command: "brv.showStatus" },
          ]
        : []),
      { label: "$(sparkle) Set up the model", description: this.modelSaid(), command: "brv.setUpModel" },
      ...(keyed ? [{ label: "$(key) Set the model's key", command: "brv.setKey" }] : []),
      ...(vscode.workspace.isTrusted ? [] : [{ label: "$(shield) Trust this workspace", description: "shows stale entries", command: "workbench.trust.manage" }]),
      { label: "$(mortar-board) How it works, in six steps", command: "workbench.action.openWalkthrough", argument: walkthrough },
    ];
    const chosen: { command: string; argument?: string } | undefined = await vscode.window.showQuickPick(items, { title: "brv" });
    if (chosen !== undefined) {
      await vscode.commands.executeCommand(chosen.command, ...(chosen.argument === undefined ? [] : [chosen.argument]));
    }
  }
}
