import type { TestContext } from "node:test";
import type { Page } from "playwright-core";

const KEPT_REQUESTS = 15;

/** The last requests of each page with their status or error. */
const requests = new WeakMap<Page, string[]>();

/** Records the last requests of a page, for the error of a failed test. */
export function noteRequests(page: Page): void {
  const lines: string[] = [];
  requests.set(page, lines);
  const note = (line: string) => {
    lines.push(line);
    if (lines.length > KEPT_REQUESTS) lines.shift();
  };
  page.on("requestfinished", async (request) => {
    const status = (await request.response().catch(() => null))?.status();
    note(`${status} ${request.method()} ${request.url()}`);
  });
  page.on("requestfailed", (request) =>
    note(`${request.failure()?.errorText} ${request.method()} ${request.url()}`),
  );
}

/** Adds the page's content and its last requests to the error of a failed test. */
export async function tellPage({ passed, error }: TestContext, page: Page): Promise<void> {
  const cause = error?.cause;
  if (passed || !(cause instanceof Error)) return;
  const parts = await page.locator("main, [role=dialog]").all();
  const shown = await Promise.all(parts.map((part) => part.ariaSnapshot({ timeout: 5_000 }).catch(String)));
  cause.message += `\n${[page.url(), ...(requests.get(page) ?? []), ...shown].join("\n")}`;
}
