// What a person does in the workbench, and what there is to see.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** How long to wait for something to appear, in ms: generous, for machines that are busy. */
export const patience = Number(process.env.PATIENCE ?? 60_000);

/** Repeats probe until it returns a value. */
export async function eventually(what, probe) {
  const deadline = Date.now() + patience;
  while (Date.now() < deadline) {
    const value = await probe();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what}: not within ${patience} ms`);
}

export class Editor {
  constructor(page) {
    this.page = page;
    this.input = page.locator(".quick-input-widget input").first();
    this.renameBox = page.locator(".rename-box input");
  }

  shows(text) {
    return this.page.locator(".monaco-editor .view-line", { hasText: text }).first().waitFor();
  }

  activeTab(name) {
    return this.page.locator(".tab.active", { hasText: name }).first().waitFor();
  }

  /** A row of the view of reviews. */
  row(text) {
    return this.page.locator(".pane .monaco-list-row", { hasText: text }).first();
  }

  /** Presses a button in the title of the editor in front; its label ends with its key, if it has one. */
  titleAction(name) {
    const label = new RegExp(`^${name}( \\(.*\\))?$`);
    return this.page.locator(".editor-group-container.active .editor-actions").getByRole("button", { name: label }).first().click();
  }

  command(title) {
    return this.pick("F1", `>${title}`, title);
  }

  async open(path) {
    const name = path.split("/").at(-1);
    await this.pick("Control+p", path, name);
    await this.activeTab(name);
  }

  /** Opens the quick input with a key, types, and takes the row that is offered. */
  async pick(key, text, row) {
    const offered = this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: row });
    await eventually(`"${row}" offered for "${text}"`, async () => {
      try {
        await this.page.keyboard.press(key);
        await this.input.fill(text, { timeout: 3000 });
        await offered.waitFor({ timeout: 3000 });
        if (await this.enter(row)) return true;
        throw new Error("something else has the focus");
      } catch {
        await this.page.keyboard.press("Escape"); // the key came before the workbench listened
        return undefined;
      }
    });
  }

  /**
   * Presses Enter in the quick input, and says whether it was pressed: a key of the browser's goes to whatever took
   * the focus meanwhile, and would be typed into that. With row, the chosen row has to hold that.
   */
  enter(row = "") {
    return this.input.evaluate((input, row) => {
      const chosen = document.querySelector(".quick-input-list .monaco-list-row.focused");
      if (document.activeElement !== input || (row !== "" && !chosen?.textContent.includes(row))) return false;
      const key = { key: "Enter", code: "Enter", keyCode: 13, bubbles: true, cancelable: true };
      input.dispatchEvent(new KeyboardEvent("keydown", key));
      return true;
    }, row, { timeout: 3000 });
  }

  /** Waits for a row of the quick input. */
  async offered(row) {
    const found = this.page.locator(".quick-input-list .monaco-list-row", { hasText: row }).first();
    await found.waitFor();
    return found;
  }

  /** Takes a row of a quick input that is open. */
  async choose(row) {
    await (await this.offered(row)).click();
  }

  /** Takes the row of a quick input that is offered first, which holds this. */
  async takeFirst(row) {
    await this.offered(row);
    await eventually(`${row} offered first`, async () => (await this.enter(row)) || undefined);
  }

  /** Answers an input box. */
  async answer(title, text) {
    await this.page.locator(".quick-input-widget .quick-input-title", { hasText: title }).waitFor();
    await eventually(`${title}: answered`, async () => {
      await this.input.fill(text);
      return (await this.enter()) || undefined;
    });
  }

  /** Saves what is in front. Until the file has taken a draft's place, what is typed is lost: it waits for that. */
  async save() {
    await this.page.keyboard.press("Control+s");
    await this.page.locator(".editor-group-container.active .tab.active:not(.dirty)").waitFor();
    await this.page.locator('.editor-group-container.active .monaco-editor.focused:not([data-uri^="untitled:"])').first().waitFor();
  }

  /** Puts the cursor some characters into the first place where the open file has text, else into its last word. */
  async goTo(folder, path, text, into = text.length - 1) {
    const before = readFileSync(join(folder, path), "utf8").split(text)[0].split("\n");
    const [line, column] = [before.length, before.at(-1).length + 1 + into];
    await this.pick("Control+g", `:${line}:${column}`, `line ${line} at column ${column}`);
    await this.cursorAt(line, column);
  }

  cursorAt(line, column) {
    return this.page.locator(".statusbar-item", { hasText: `Ln ${line}, Col ${column}` }).waitFor();
  }

  /** Gives what is at the cursor another name. */
  async rename(name) {
    await this.page.keyboard.press("F2");
    await this.renameBox.fill(name);
    await this.renameBox.press("Enter");
    await this.renameBox.waitFor({ state: "hidden" });
  }

  /** Waits for a problem to be underlined. */
  problem() {
    return this.page.locator(".monaco-editor .squiggly-warning, .monaco-editor .squiggly-error").first().waitFor();
  }

  /** Asks for the hover at the cursor until it says something that matches. */
  async hover(expected) {
    const hover = this.page.locator(".monaco-hover:visible .hover-contents");
    return eventually("hover", async () => {
      await this.page.keyboard.press("Control+k");
      await this.page.keyboard.press("Control+i");
      await hover.first().waitFor({ timeout: 1000 }).catch(() => undefined);
      const text = (await hover.allInnerTexts()).join("\n");
      if (expected.test(text)) return text;
      await this.page.keyboard.press("Escape");
      return undefined;
    });
  }

  /** Chooses from the menu of code actions; it closes by itself when the editor gets new ones. */
  async codeAction(title) {
    const row = this.page.locator(".action-widget .monaco-list-row", { hasText: title }).first();
    await eventually(title, async () => {
      await this.page.keyboard.press("Control+.");
      return row.click({ timeout: 3000 }).then(() => true, () => undefined);
    });
  }

  /** A message's text: of its toast, or from the list of all, since a toast behind another may never show. */
  async notification(text) {
    const toast = this.page.locator(".notification-toast", { hasText: text }).first();
    const listed = this.page.locator(".notifications-center .notification-list-item", { hasText: text }).first();
    return eventually(text, async () => {
      if (await toast.waitFor({ timeout: 8000 }).then(() => true, () => false)) return toast.innerText();
      await this.command("Notifications: Show Notifications");
      const shown = await listed.waitFor({ timeout: 3000 }).then(() => true, () => false);
      const found = shown ? await listed.innerText() : undefined;
      await this.page.keyboard.press("Escape");
      return found;
    });
  }

  /** Presses a button of a message, in its toast or, where that has gone, in the list of all. */
  async press(text, button) {
    const inside = (place) => this.page.locator(place, { hasText: text }).first().getByRole("button", { name: button });
    // What waits for a click may be short of time; a click that began is not given up, or it would happen unseen.
    const clicked = async (place) => {
      const there = await inside(place).waitFor({ timeout: 2000 }).then(() => true, () => false);
      return there && inside(place).click({ timeout: 10_000 }).then(() => true, () => false);
    };
    await eventually(button, async () => {
      if (await clicked(".notification-toast")) return true;
      await this.command("Notifications: Show Notifications");
      const row = this.page.locator(".notifications-center .notification-list-item", { hasText: text }).first();
      await row.click({ timeout: 3000 }).catch(() => {}); // a row shows its buttons once it is chosen
      return (await clicked(".notifications-center .notification-list-item")) || undefined;
    });
  }
}
