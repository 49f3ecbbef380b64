import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

/** What a page did that none should: requests to other origins, errors in its console, exceptions, dialogs. */
export class Watched {
  readonly page: Page;
  readonly faults: string[] = [];

  constructor(page: Page, origin: string) {
    this.page = page;
    page.on("console", (message) => {
      // A refused request is told by the browser; what the page makes of it is the subject of tests.
      if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
        this.faults.push(message.text());
    });
    page.on("pageerror", (error) => this.faults.push(String(error.stack ?? error)));
    page.on("dialog", (dialog) => {
      this.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!/^(data|blob|about):/.test(url) && new URL(url).origin !== origin)
        this.faults.push(`request to ${url}`);
    });
  }
}

/** Chromium without a window. Its sandbox does not start as root; the pages are this service's own. */
export async function startChromium(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"];
  return await chromium.launch({ executablePath: "/usr/bin/chromium", args });
}

/** A browser of a person of their own, with a page that is watched. Waits are generous: on a loaded machine a turn takes long. */
export async function newPerson(
  browser: Browser,
  origin: string,
): Promise<Watched & { context: BrowserContext }> {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(60_000);
  const watched = new Watched(await context.newPage(), origin);
  return Object.assign(watched, { context });
}
