import type { Page } from "playwright-core";

/** Resolves when all changes are rendered, and no animation is running. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
  );
  await page.evaluate(
    "Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => null))).then(() => null)",
  );
}
