import assert from "node:assert/strict";
import { before } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import type { AnyJson } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeFile, makeSession, makeSkill, runTurn } from "../acceptance/harness/fixtures.ts";
import { Console } from "./harness/console.ts";

const NARROW = { width: 360, height: 740 };
const WIDE = { width: 1_280, height: 900 };
const PANELS = ["changes", "workspace", "files", "network", "resources", "usage", "events", "details"];

const console = await Console.start();
const { api, origin } = console;

let paths: string[];
before(async () => {
  const session = await makeSession(api, { title: "Everything that a transcript shows" });
  await runTurn(
    api,
    session.id,
    {
      say: "# A heading\n\nWith `code`, **weight**, [a link](https://example.com) and\n\n| a | table |\n|---|---|\n| 1 | 2 |",
    },
    bash("printf '\\033[31mred\\033[0m\\n\\033[32mgreen\\033[0m\\n'"),
    { tool: "Write", input: { file_path: "/tmp/a.ts", content: "export const one = 1;\n" } },
    { tool: "Edit", input: { file_path: "/tmp/a.ts", old_string: "one = 1", new_string: "two = 2" } },
    bash("exit 3"),
    bash("curl -sS --max-time 5 https://blocked.example/ || true; echo x > /mnt/session/outputs/x.txt"),
  );
  const store = await api.ok("POST", "/memory_stores", { name: "Notes" });
  await api.ok("POST", `/memory_stores/${store.id}/memories`, { path: "/a.md", content: "# A\n" });
  const [file, skill] = [await makeFile(api, "text"), await makeSkill(api, "speaker")];
  paths = [
    "/new",
    ...PANELS.map((panel) => `/sessions/${session.id}?panel=${panel}`),
    "/agents/new",
    ...["", "?tab=versions", "?tab=api"].map((tab) => `/agents/${session.agent.id}${tab}`),
    `/agents/${session.agent.id}/edit`,
    "/environments/new",
    ...["", "?tab=setup"].map((tab) => `/environments/${session.environment_id}${tab}`),
    `/environments/${session.environment_id}/edit`,
    `/files/${file.id}`,
    ...["", "?tab=versions"].map((tab) => `/skills/${skill.id}${tab}`),
    ...["", "?tab=versions"].map((tab) => `/memory/${store.id}${tab}`),
    "/nowhere",
  ];
});

/** What axe finds; in a second theme only colours can differ. */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  await drawn(page);
  // A menu lies above the page, outside of its landmarks.
  const axe = new AxeBuilder({ page }).exclude("[role=menu]");
  const result = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  return result.violations.map(({ id, nodes }: AnyJson) => `${id}: ${nodes[0]?.html}`);
}

/** How far the page is wider than the window. In pixels. */
async function beyondWindow(page: Page): Promise<number> {
  await drawn(page);
  return await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
}

/** What has changed is drawn, and no colour is on its way to another one. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
  );
  await page.evaluate(
    "Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => null))).then(() => null)",
  );
}

/** The screen is drawn, and nothing of it is still on its way. */
async function settled(page: Page): Promise<void> {
  await page.locator("main").locator("h1, h2").first().waitFor();
  await page.waitForLoadState("load");
  await page.locator("main .animate-spin").first().waitFor({ state: "detached" });
}

covers(
  ["console-accessible", "console-narrow", "console-own-origin"],
  "every screen: no fault that axe finds in either theme, nothing to scroll sideways at 360 px, nothing of another origin",
  async () => {
    const visited = await console.signedIn();
    const { page } = visited;
    const places = await page
      .getByRole("navigation", { name: "Screens" })
      .getByRole("link")
      .evaluateAll((links) =>
        links.map((link) => (link.getAttribute("href") ?? "").replace(/^\/console/, "")),
      );
    const found: string[] = [];
    for (const path of new Set([...places, ...paths])) {
      await page.setViewportSize(WIDE);
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await page.goto(`${origin}/console${path}`);
      await settled(page);
      for (const one of await violations(page)) found.push(`${path}: ${one}`);
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      for (const one of await violations(page, ["color-contrast"])) found.push(`${path}, dark: ${one}`);
      await page.setViewportSize(NARROW);
      const beyond = await beyondWindow(page);
      if (beyond > 0) found.push(`${path}: ${beyond} px beyond 360`);
    }
    assert.deepEqual(found, []);
    assert.deepEqual(visited.faults, []);
  },
);

covers(
  ["console-accessible", "console-narrow"],
  "what covers a screen as well: the palette, the keys, the menu of the account, a question, the sign-in",
  async () => {
    const { page, context, faults } = await console.signedIn("/");
    const found: string[] = [];
    const check = async (what: string) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        for (const one of await violations(page)) found.push(`${what}, ${colorScheme}: ${one}`);
      }
    };
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await check("palette");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await check("keys");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /owner@example.com/ }).click();
    await page.getByRole("menu").waitFor();
    await check("account");
    await page.keyboard.press("Escape");
    await context.clearCookies();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to Berth" }).waitFor();
    await check("sign-in");
    await page.setViewportSize(NARROW);
    assert.equal(await beyondWindow(page), 0);
    assert.deepEqual(found, []);
    assert.deepEqual(faults, []);
  },
);
