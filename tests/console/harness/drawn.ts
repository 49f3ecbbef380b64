import type { Page } from "playwright-core";

/** Resolves when what has changed is drawn, and no colour is on its way to another one. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
  );
  await page.evaluate(
    "Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => null))).then(() => null)",
  );
}
