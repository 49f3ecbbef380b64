import { after, afterEach, type TestContext } from "node:test";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { noteRequests, tellPage } from "./page-at-failure.ts";

/** Long, since on a loaded machine a first turn can take most of a minute. */
const PATIENCE_MS = 120_000;

/** A page in its own browser profile. */
export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Faults of the page: requests to other origins, console errors, exceptions, dialogs, windows. */
  faults: string[];
}

export interface VisitOptions {
  theme?: "light" | "dark";
  width?: number;
  height?: number;
  /** Device pixels per CSS pixel. */
  scale?: number;
}

/**
 * Starts Debian's Chromium for one test file. Its pages are closed after each test, since open pages keep
 * sending requests; the browser is closed after the last test.
 */
export async function startBrowser(): Promise<Browser> {
  const browser = await launchBrowser();
  afterEach(async (test) => {
    const contexts = browser.contexts();
    for (const page of contexts.flatMap((context) => context.pages()))
      await tellPage(test as TestContext, page);
    for (const context of contexts) await context.close();
  });
  after(() => browser.close());
  return browser;
}

/**
 * Starts headless Chromium without its own sandbox, which does not start as root. The pages are trusted,
 * since they are this service's own.
 */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"],
  });
}

/** Opens an empty page and records its faults. */
export async function visit(browser: Browser, origin: string, options: VisitOptions = {}): Promise<Visit> {
  const { theme = "light", width = 1_280, height = 800, scale = 1 } = options;
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    deviceScaleFactor: scale,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  noteRequests(page);
  return { page, context, faults: noteFaults(page, origin) };
}

function noteFaults(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(data|blob|about):/.test(url) && URL.parse(url)?.origin !== origin)
      faults.push(`request to ${url}`);
  });
  page.on("console", (message) => {
    // The browser reports each failed request. Tests check the page's reaction instead.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
      faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.stack ?? String(error)));
  page.on("popup", (popup) => faults.push(`window of ${popup.url()}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return faults;
}
