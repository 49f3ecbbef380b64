import { after } from "node:test";
import type { Browser } from "playwright-core";
import type { Api } from "../../acceptance/harness/api.ts";
import { Berth, type BerthOptions } from "../../acceptance/harness/berth.ts";
import { startBrowser, type Visit, type VisitOptions, visit } from "./browser.ts";

/** A service with its console, and a browser. */
export class Console {
  readonly berth: Berth;
  readonly api: Api;
  readonly browser: Browser;

  private constructor(berth: Berth, api: Api, browser: Browser) {
    this.berth = berth;
    this.api = api;
    this.browser = browser;
  }

  /** Starts both for one test file. They stop after its last test. */
  static async start(options: BerthOptions = {}): Promise<Console> {
    const [berth, browser] = await Promise.all([Berth.start(options), startBrowser()]);
    after(() => berth.stop());
    return new Console(berth, await berth.client(), browser);
  }

  get origin(): string {
    return this.berth.url;
  }

  /** Returns a page of the console after a sign-in with a token; the owner's by default. */
  async signedIn(
    path = "/",
    options: VisitOptions & { token?: string | null; origin?: string } = {},
  ): Promise<Visit> {
    const { origin = this.origin, token = this.api.token } = options;
    const visited = await visit(this.browser, origin, options);
    await visited.page.goto(`${origin}/console${path}`);
    await signIn(visited, token ?? "");
    return visited;
  }
}

/** Types a token into the page that asks for one. */
export async function signIn({ page }: Visit, token: string): Promise<void> {
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Sign in to Berth" }).waitFor({ state: "detached" });
}
