// Tests home in a browser: what waits, failed, is done and not seen, and runs; marks of two users; notifications.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, steps } from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { accessibilityFaults } from "./harness/accessibility.ts";
import { Console } from "./harness/console.ts";
import { drawn } from "./harness/drawn.ts";

const console = await Console.start({ settings: { BERTH_CLONE_RETRY_SECONDS: "0.05" } });
const { origin } = console;

let environment_id: string;
let plain: AnyJson;
let asking: AnyJson;
before(async () => {
  const admin = await console.berth.client({ user: "maker@example.com" });
  const ask = { name: "Bash", permission_policy: { type: "always_ask" } };
  const tools = [{ type: "agent_toolset_20260401", configs: [ask] }];
  asking = await makeAgent(admin, { name: "Releaser", tools, visibility: "organization" });
  plain = await makeAgent(admin, { name: "Fixer", visibility: "organization" });
  environment_id = (await makeEnvironment(admin, { visibility: "organization" })).id;
});

function make(api: Api, title: string, agent = plain, more: AnyJson = {}): Promise<AnyJson> {
  return api.ok("POST", "/sessions", { agent: agent.id, environment_id, title, ...more });
}

async function done(api: Api, title: string, say = "Done."): Promise<AnyJson> {
  const session = await make(api, title);
  await runTurn(api, session.id, { say });
  return session;
}

const group = (page: Page, name: string) => page.getByRole("list", { name, exact: true });
const row = (page: Page, name: string, title: string) =>
  group(page, name).getByRole("listitem").filter({ hasText: title });
const gone = (page: Page, title: string) =>
  page.getByRole("listitem").filter({ hasText: title }).waitFor({ state: "detached" });
const count = (page: Page, unseen: number) =>
  page.getByRole("navigation").getByText(`${unseen} not seen`, { exact: true });
const unseenOf = async (api: Api, id: string): Promise<boolean> =>
  (await api.ok("GET", `/sessions/${id}`)).unseen;

const seenBy = (api: Api, id: string): Promise<void> =>
  waitUntil(
    async () => !(await unseenOf(api, id)),
    () => `${id} stays unseen`,
  );

covers(
  ["console-desk"],
  "home tells what to do first; then what waits and for what, what failed and why, what is done, and what runs",
  async () => {
    const ada = await console.berth.client({ user: "ada@example.com" });
    const { page, faults } = await console.signedIn("/", { token: ada.token });
    await page.getByRole("heading", { name: "Start your first session" }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);

    const waits = await make(ada, "Publish it", asking);
    const running = await make(ada, "Long work");
    const lacking = { resources: [{ type: "git_repository", url: "https://git.nowhere.example/acme/shop" }] };
    const broken = await make(ada, "Without its repository", plain, lacking);
    await readEventsUntil(
      ada,
      broken.id,
      ({ type, error }) => type === "session.error" && error.retry_status.type !== "retrying",
    );
    const failed = await make(ada, "Fails");
    await runTurn(ada, failed.id, { fail: "authentication" });
    await runTurn(ada, waits.id, bash("npm publish\necho more"));
    const fixed = await done(ada, "Fix the test", "## **Fixed** the test.\nMore of it.");
    await ada.ok("POST", `/sessions/${running.id}/events`, { events: [steps({ wait_ms: 600_000 })] });

    await row(page, "Waits for you", "Publish it").getByText("· Bash: npm publish").waitFor();
    await row(page, "Failed", "Without its repository")
      .getByText(/could not be cloned/)
      .waitFor();
    await row(page, "Failed", "Without its repository").getByText("acme/shop").first().waitFor();
    await row(page, "Failed", "Fails").getByText("The rehearsal model fails").waitFor();
    await row(page, "Done, not seen yet", "Fix the test").getByText("· Fixed the test.").waitFor();
    await row(page, "Running", "Long work").getByText("Running", { exact: true }).waitFor();
    await count(page, 4).waitFor();
    assert.equal(await page.title(), "(1) Home · Berth");
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await accessibilityFaults(page), [], `at ${width}`);
      await drawn(page);
      assert.equal(
        await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
        0,
        `at ${width}`,
      );
    }
    await page.setViewportSize({ width: 1_440, height: 900 });

    await page.getByRole("link", { name: "Fix the test" }).click();
    await page.getByText("More of it.", { exact: true }).waitFor();
    await seenBy(ada, fixed.id);
    await page.getByRole("button", { name: /^More/ }).click();
    await page.getByRole("menuitem", { name: "Mark as unseen" }).click();
    await row(page, "Done, not seen yet", "Fix the test").waitFor();
    await row(page, "Done, not seen yet", "Fix the test").hover();
    await row(page, "Done, not seen yet", "Fix the test")
      .getByRole("button", { name: "Mark as seen" })
      .click();
    await gone(page, "Fix the test");
    await count(page, 3).waitFor();
    await page.getByRole("button", { name: "Mark all as seen" }).click();
    await page.getByRole("navigation").getByText("not seen").waitFor({ state: "detached" });
    await row(page, "Waits for you", "Publish it").waitFor();
    assert.equal(await page.getByRole("main").getByTitle("Not seen").count(), 0);
    assert.deepEqual((await ada.ok("GET", "/sessions?unseen=true")).data, []);
    for (const { id } of [waits, running, broken, failed])
      await ada.ok("POST", `/sessions/${id}/archive`, {});
    await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-desk"],
  "home by keys: to it, along its rows, a mark, an opened session; the sheet has them; the list of sessions has the marks",
  async () => {
    const bea = await console.berth.client({ user: "bea@example.com" });
    for (const title of ["First", "Second", "Third"]) await done(bea, title);
    const { page, faults } = await console.signedIn("/agents", { token: bea.token });
    await page.getByRole("heading", { name: "Agents", level: 1 }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await row(page, "Done, not seen yet", "First").waitFor();
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    for (const label of ["Home", "Mark all as seen", "Next"]) await sheet.getByText(label).first().waitFor();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    const marked = page.locator("main [aria-current=true]");
    await page.keyboard.press("j");
    await marked.filter({ hasText: "Third" }).waitFor();
    await page.keyboard.press("e");
    await gone(page, "Third");
    await marked.filter({ hasText: "Second" }).waitFor();
    await page.keyboard.press("j");
    await marked.filter({ hasText: "First" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/sessions\/sess_/);
    await page.getByText("Done.", { exact: true }).waitFor();

    await page.keyboard.press("g");
    await page.keyboard.press("s");
    const mark = (title: string) => page.getByRole("row").filter({ hasText: title }).getByTitle("Not seen");
    await mark("Second").waitFor();
    assert.equal(await mark("Third").count(), 0);
    await page.getByRole("button", { name: "Not seen" }).click();
    await page.waitForURL(/unseen=true/);
    await page.getByRole("row").filter({ hasText: "Third" }).waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await row(page, "Done, not seen yet", "Second").waitFor();
    await page.keyboard.press("Shift+E");
    await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
    assert.deepEqual((await bea.ok("GET", "/sessions?unseen=true")).data, []);
    assert.deepEqual(faults, []);
  },
);

covers(["console-desk"], "two users have marks of their own, and a hidden page sees nothing", async () => {
  const [cleo, dan] = [
    await console.berth.client({ user: "cleo@example.com" }),
    await console.berth.client({ user: "dan@example.com" }),
  ];
  const shared = await done(cleo, "Shared work");
  await cleo.ok("POST", `/sessions/${shared.id}/share`, { user: "dan@example.com", access: "write" });
  const [own, other] = await Promise.all([
    console.signedIn("/", { token: cleo.token }),
    console.signedIn("/", { token: dan.token }),
  ]);
  await row(own.page, "Done, not seen yet", "Shared work").waitFor();
  await other.page.getByRole("heading", { name: /^(Start|Create) your first / }).waitFor();
  await runTurn(dan, shared.id, { say: "Said for Dan." });
  await row(other.page, "Done, not seen yet", "Shared work").getByText("Said for Dan.").waitFor();

  await hide(own.page, true);
  await own.page.getByRole("link", { name: "Shared work" }).click();
  await own.page.getByText("Said for Dan.", { exact: true }).waitFor();
  await own.page.getByRole("button", { name: "Panel", exact: true }).click();
  await own.page.evaluate("fetch('/api/v1/cloud/whoami').then(({ status }) => status)");
  assert.equal(await unseenOf(cleo, shared.id), true, "nobody looked at the page");
  await hide(own.page, false);
  await seenBy(cleo, shared.id);
  assert.equal(await unseenOf(dan, shared.id), true);
  await runTurn(dan, shared.id, { say: "Once more." });
  await own.page.getByText("Once more.", { exact: true }).waitFor();
  // What comes while one looks is seen.
  await seenBy(cleo, shared.id);
  await row(other.page, "Done, not seen yet", "Shared work").getByText("Once more.").waitFor();
  assert.deepEqual([...own.faults, ...other.faults], []);
});

/** Hides a page from its user, as another tab in front of it does. */
async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(`Object.defineProperty(document, "visibilityState", {
    value: "${hidden ? "hidden" : "visible"}", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"))`);
}

/** A script that notes notifications in place of showing them. What the browser permits stays its own. */
const NOTED = `{
  const Real = Notification;
  globalThis.shown = {};
  globalThis.Notification = class {
    static get permission() { return Real.permission; }
    static requestPermission() { globalThis.asked = true; return Real.requestPermission(); }
    constructor(title, { body, tag }) { shown[title] = this; void note([title, body, tag]); }
    close() {}
  };
}`;

covers(
  ["console-notifications"],
  "notifications: after a click, one for each outcome over all tabs, of title and state alone; its click leads to the session",
  async () => {
    const eve = await console.berth.client({ user: "eve@example.com" });
    await done(eve, "Before");
    const { page, context, faults } = await console.signedIn("/files", { token: eve.token });
    await context.grantPermissions(["notifications"], { origin });
    const noted: { tab: Page; text: string; tag: string }[] = [];
    await context.exposeBinding("note", ({ page: tab }, [title, body, tag]: string[]) => {
      noted.push({ tab, text: `${title}: ${body}`, tag: tag ?? "" });
    });
    await context.addInitScript(NOTED);
    await page.goto(`${origin}/console/`);
    await page.getByRole("button", { name: "Turn on notifications" }).click();
    await page.getByRole("button", { name: "Turn off notifications" }).waitFor();
    const other = await context.newPage();
    await other.goto(`${origin}/console/agents`);
    await count(other, 1).waitFor();
    const texts = () => noted.map(({ text }) => text);
    const told = async (text: string) =>
      await waitUntil(
        () => texts().includes(text),
        () => `'${text}' is not among ${texts().join(", ")}`,
      );
    await done(eve, "The test", "The password is hunter2.");
    await told("The test: Done");

    const asked = await make(eve, "Publish", asking);
    await page.goto(`${origin}/console/sessions/${asked.id}`);
    await page.getByRole("textbox", { name: "Message to the agent" }).waitFor();
    await runTurn(eve, asked.id, bash("npm publish"));
    await page.getByText("May the agent do this?").waitFor();
    await seenBy(eve, asked.id);
    await page.getByRole("button", { name: /^More/ }).click();
    await page.getByRole("menuitem", { name: "Mark as unseen" }).click();
    await row(page, "Waits for you", "Publish").getByTitle("Not seen").waitFor();
    const failed = await make(eve, "");
    await runTurn(eve, failed.id, { fail: "authentication" });
    await told("Untitled session: Failed");
    assert.deepEqual(
      texts(),
      ["The test: Done", "Untitled session: Failed"],
      "each once, and none of what was looked at",
    );
    assert.match(noted[1]?.tag ?? "", new RegExp(`^${failed.id} `));

    const tab = noted[1]?.tab ?? page;
    await tab.evaluate("shown['Untitled session'].onclick()");
    await tab.waitForURL(new RegExp(`/sessions/${failed.id}`));
    await seenBy(eve, failed.id);
    await page.goto(`${origin}/console/`);
    await page.getByRole("button", { name: "Turn off notifications" }).click();
    await page.getByRole("button", { name: "Turn on notifications" }).waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-notifications"],
  "notifications: a browser that forbids them is told of in a sentence, and is never asked without a click",
  async () => {
    const { page, context, faults } = await console.signedIn("/files");
    await context.addInitScript(NOTED);
    const browser = await console.browser.newBrowserCDPSession();
    await page.goto(`${origin}/console/`);
    const { targetInfos } = await browser.send("Target.getTargets");
    const { browserContextId } = targetInfos.find((target) => target.url.startsWith(origin)) ?? {};
    const permission = { name: "notifications" };
    await browser.send("Browser.setPermission", {
      ...{ origin, permission, setting: "denied" },
      ...(browserContextId !== undefined && { browserContextId }),
    });
    await page.goto(`${origin}/console/`);
    await page.getByText("This browser blocks notifications of this site").waitFor();
    assert.equal(await page.evaluate("globalThis.asked"), undefined);
    assert.equal(await page.getByRole("button", { name: "Turn on notifications" }).count(), 0);
    assert.deepEqual(faults, []);
  },
);
