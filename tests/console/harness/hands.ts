import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { drawn } from "./drawn.ts";

/** How somebody uses a page: both do the same, by other means. */
export interface Hands {
  /** Presses a button, a link, a tab, a checkbox or an item of a menu. */
  press(target: Locator): Promise<void>;
  /** Replaces the text of a field. */
  write(field: Locator, text: string): Promise<void>;
  /** Chooses an option of a select. */
  choose(select: Locator, option: string | RegExp): Promise<void>;
  /** Opens the comment on a line of a diff. */
  comment(diff: Locator, line: string): Promise<void>;
}

export function mouse(page: Page): Hands {
  return {
    press: (target) => target.click(),
    write: (field, text) => field.fill(text),
    choose: async (select, option) => {
      await select.click();
      await page.getByRole("option", { name: option }).click();
    },
    comment: (diff, line) => diff.getByRole("button", { name: line, exact: true }).click(),
  };
}

/** More stops than any screen of the console has. */
const MAX_STOPS = 200;

/**
 * Uses the page by the Tab key, arrows, Enter, Space and letters alone. Where the focus lands must be visible.
 */
export function keyboard(page: Page): Hands {
  const { keyboard } = page;
  /** Presses a key until an element has the focus. */
  async function go(target: Locator, key: string): Promise<void> {
    await target.waitFor();
    for (let stops = 0; stops < MAX_STOPS; stops++) {
      if (await has(target)) return;
      await keyboard.press(key);
    }
    assert.fail(`${target} is not reached with ${key}`);
  }
  const has = (target: Locator) =>
    target.evaluate((element: unknown) => {
      const { activeElement } = (globalThis as { document?: { activeElement: unknown } }).document ?? {};
      return activeElement === element;
    });
  async function reach(target: Locator): Promise<void> {
    await target.waitFor();
    const role = await target.getAttribute("role");
    if (role?.startsWith("menuitem") || role === "option") return await go(target, "ArrowDown");
    if (role === "tab") {
      const list = target.locator("xpath=ancestor::*[@role='tablist'][1]");
      await go(list.locator("[role=tab][tabindex='0']"), "Tab");
      return await go(target, "ArrowRight");
    }
    await go(target, "Tab");
    await drawn(page);
    assert.ok(await target.evaluate(showsFocus), `${target} shows the focus`);
  }
  return {
    press: async (target) => {
      await reach(target);
      const role = await target.getAttribute("role");
      await keyboard.press(role === "checkbox" || role === "switch" ? "Space" : "Enter");
    },
    write: async (field, text) => {
      await reach(field);
      await keyboard.press("ControlOrMeta+a");
      await keyboard.insertText(text);
    },
    choose: async (select, option) => {
      await reach(select);
      await keyboard.press("Enter");
      await page.getByRole("listbox").waitFor();
      await keyboard.press("Home");
      await go(page.getByRole("option", { name: option }), "ArrowDown");
      await keyboard.press("Enter");
      await page.getByRole("listbox").waitFor({ state: "detached" });
    },
    comment: async (diff, line) => {
      await reach(diff);
      await go(diff.getByRole("button", { name: line, exact: true }), "ArrowDown");
      await keyboard.press("Enter");
    },
  };
}

/** Whether an element has a visible outline, or the line of a table that it covers has. */
function showsFocus(element: unknown): boolean {
  const { getComputedStyle } = globalThis as unknown as {
    getComputedStyle: (of: unknown, part?: string) => Record<string, string>;
  };
  return [undefined, "::after"].some((part) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element, part);
    return outlineStyle !== "none" && outlineWidth !== "0px";
  });
}
