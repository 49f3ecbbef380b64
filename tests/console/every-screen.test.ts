import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import type { Api } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeFile, makeSession, makeSkill, runTurn } from "../acceptance/harness/fixtures.ts";
import { accessibilityFaults } from "./harness/accessibility.ts";
import { Console } from "./harness/console.ts";
import { drawn } from "./harness/drawn.ts";

const NARROW = { width: 360, height: 740 };
const WIDE = { width: 1_280, height: 900 };
/** The number of browser pages that are checked at the same time. */
const PAGES = 2;
const PANELS = ["changes", "workspace", "files", "network", "resources", "usage", "events", "details"];

const console = await Console.start();
const { api, origin } = console;

let admin: Api;
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
  const vault = await api.ok("POST", "/vaults", { display_name: "Production", metadata: { team: "web" } });
  const credential = await api.ok("POST", `/vaults/${vault.id}/credentials`, {
    auth: {
      type: "environment_variable",
      secret_name: "NPM_TOKEN",
      secret_value: "canary",
      networking: { allowed_hosts: ["registry.example.com"] },
    },
  });
  const connection = await api.ok("POST", "/connections", {
    ...{ display_name: "Acme", auth: { type: "gitlab", token: "canary" } },
  });
  const webhook = await api.ok("POST", "/webhooks", {
    ...{ name: "Bot", url: "https://hook.invalid/", enabled_events: ["vault.created"] },
  });
  await api.ok("POST", "/vaults", { display_name: "told" });
  const deployment = await api.ok("POST", "/deployments", {
    ...{ name: "Nightly", agent: session.agent.id, environment_id: session.environment_id },
    schedule: { type: "cron", expression: "0 3 * * *", timezone: "Europe/Berlin" },
    initial_events: [{ type: "user.message", content: [{ type: "text", text: "Run the tests." }] }],
  });
  const body = { type: "skill", resource: { id: skill.id } };
  admin = await console.berth.client({ user: "admin@example.com", role: "admin" });
  await admin.post("/api/v1/forward/resources/registry", body);
  const [token] = (await admin.ok("GET", "/tokens")).data;
  const login = await api.ok("POST", "/device_authorizations", { client_name: "laptop" });
  paths = [
    "/new",
    ...PANELS.map((panel) => `/sessions/${session.id}?panel=${panel}`),
    "/agents/new",
    ...["", "?tab=versions", "?tab=api"].map((tab) => `/agents/${session.agent.id}${tab}`),
    `/agents/${session.agent.id}/edit`,
    "/deployments/new",
    ...["", "?tab=api", "/edit"].map((rest) => `/deployments/${deployment.id}${rest}`),
    "/environments/new",
    ...["", "?tab=setup"].map((tab) => `/environments/${session.environment_id}${tab}`),
    `/environments/${session.environment_id}/edit`,
    `/files/${file.id}`,
    ...["", "?tab=versions"].map((tab) => `/skills/${skill.id}${tab}`),
    ...["", "?tab=versions"].map((tab) => `/memory/${store.id}${tab}`),
    ...["", "?tab=api", "?form=new", `?form=${credential.id}`].map((tab) => `/vaults/${vault.id}${tab}`),
    "/vaults?create=true",
    "/connections?create=true",
    `/connections?connection=${connection.id}`,
    "/webhooks?create=true",
    `/webhooks?webhook=${webhook.id}`,
    "/tokens?create=true",
    `/tokens?token=${token.id}`,
    `/device?code=${login.user_code}`,
    "/forward?create=true",
    `/forward?type=skill&resource=${skill.id}`,
    "/usage?view=table",
    "/usage?show=tokens",
    "/usage?view=json",
    "/health?tab=api",
    "/administration?create=true",
    "/administration?tab=organization",
    "/nowhere",
  ];
});

/** Returns by how many pixels the page is wider than the window. */
async function beyondWindow(page: Page): Promise<number> {
  await drawn(page);
  return await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
}

/** Waits until the screen is rendered and has loaded. */
async function settled(page: Page, path: string): Promise<void> {
  await page.locator("main").locator("h1, h2").first().waitFor();
  if (isCovered(path)) await page.getByRole("dialog").waitFor();
  await page.waitForLoadState("load");
  await page.locator("main .animate-spin").first().waitFor({ state: "detached" });
}

covers(
  ["console-accessible", "console-narrow", "console-own-origin"],
  "every screen and its menus: no fault that axe finds in either theme, nothing to scroll sideways at 360 px, nothing of another origin",
  async () => {
    const pages = await Promise.all(
      Array.from({ length: PAGES }, () => console.signedIn("/", { ...WIDE, token: admin.token })),
    );
    const places = await pages[0]?.page
      .getByRole("navigation", { name: "Screens" })
      .getByRole("link")
      .evaluateAll((links) =>
        links.map((link) => (link.getAttribute("href") ?? "").replace(/^\/console/, "")),
      );
    const left = [...new Set([...(places ?? []), ...paths])];
    const menus = new Set<string>();
    const found: string[] = [];
    await Promise.all(
      pages.map(async ({ page }) => {
        for (let path = left.shift(); path !== undefined; path = left.shift())
          for (const fault of await faultsAt(page, path, menus)) found.push(`${path}: ${fault}`);
      }),
    );
    assert.ok(menus.has("More of this vault") && menus.size > 8, [...menus].join());
    assert.deepEqual(found, []);
    assert.deepEqual(
      pages.flatMap(({ faults }) => faults),
      [],
    );
  },
);

/**
 * Returns the faults at an address. Each menu is opened where it first appears; `menus` are the opened ones.
 */
async function faultsAt(page: Page, path: string, menus: Set<string>): Promise<string[]> {
  await page.goto(`${origin}/console${path}`);
  await settled(page, path);
  const found = await accessibilityFaults(page);
  if (!isCovered(path))
    for (const button of await page.locator("main").locator("[aria-haspopup=menu]:visible:enabled").all()) {
      const name = (await button.getAttribute("aria-label")) ?? (await button.textContent()) ?? "";
      if (menus.has(name)) continue;
      menus.add(name);
      await button.click();
      await page.getByRole("menu").waitFor();
      for (const fault of await accessibilityFaults(page, "[role=menu]")) found.push(`${name}: ${fault}`);
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "detached" });
    }
  await page.setViewportSize(NARROW);
  const beyond = await beyondWindow(page);
  if (beyond > 0) found.push(`${beyond} px beyond 360`);
  await page.setViewportSize(WIDE);
  return found;
}

/** Whether a dialog covers the screen at an address. */
function isCovered(path: string): boolean {
  return /[?&](create|form|token|resource|connection)=/.test(path);
}

covers(
  ["console-accessible", "console-narrow"],
  "what covers a screen as well: the palette, the keys, the menu of the account, what one may not see, the sign-in",
  async () => {
    const { page, context, faults } = await console.signedIn("/");
    const found: string[] = [];
    const check = async (what: string, within?: string) => {
      for (const one of await accessibilityFaults(page, within)) found.push(`${what}, ${one}`);
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
    await check("account", "[role=menu]");
    await page.goto(`${origin}/console/health`);
    await page.getByText("You do not have access").waitFor();
    await check("health of a member");
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
