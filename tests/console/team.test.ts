// Tests a team's work in browsers, from invitation to merged pull request: by mouse, and by keyboard alone.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { Locator, Page } from "playwright-core";
import { covers } from "../acceptance/harness/covers.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { startGitHost } from "../git-host/git-host.ts";
import { accessibilityFaults } from "./harness/accessibility.ts";
import { type Visit, visit } from "./harness/browser.ts";
import { Console } from "./harness/console.ts";
import { drawn } from "./harness/drawn.ts";
import { type Hands, keyboard, mouse } from "./harness/hands.ts";
import { startTeamAgent } from "./harness/team-agent.ts";

const git = await startGitHost();
const model = await startTeamAgent();
const directory = await mkdtemp(join(tmpdir(), "berth-models-"));
const models = join(directory, "models.json");
await writeFile(
  models,
  JSON.stringify({
    providers: { team: { kind: "openai-compatible", base_url: model.url } },
    models: [{ id: "team/coder", context_window: 200_000 }],
  }),
);
after(async () => {
  await model.close();
  await git.stop();
  await rm(directory, { recursive: true });
});
const settings = { ...providerSettings(git), BERTH_MODELS_FILE: models };
const console = await Console.start({ settings });
const { berth, origin } = console;

const SOURCE = 'export function greet(name) {\n  return "Hello, " + name;\n}\n';
const SIZES = [390, 768, 1_280, 1_440];
const USUAL = { width: 1_280, height: 800 };

/** Somebody at a browser of their own. */
interface Person extends Visit {
  hands: Hands;
  /** Checks what the browser shows. */
  look: (at: string) => Promise<void>;
}

/** Opens a browser of a person, who signs in with a token. */
async function person(token: string, handsOf: (page: Page) => Hands, checks: boolean): Promise<Person> {
  const visited = await visit(console.browser, origin, USUAL);
  const { page } = visited;
  const hands = handsOf(page);
  const look = checks ? (at: string) => inspect(page, at) : async () => undefined;
  await page.goto(`${origin}/console/`);
  await hands.write(page.getByLabel("Token", { exact: true }), token);
  await look("sign in");
  await hands.press(button(page, "Sign in"));
  await heading(page, "Home").waitFor();
  return { ...visited, hands, look };
}

/** Fails on what axe finds at a narrow and a wide page, and on what goes beyond the window at any size. */
async function inspect(page: Page, at: string): Promise<void> {
  const found: string[] = [];
  for (const width of SIZES) {
    await page.setViewportSize({ width, height: 900 });
    await drawn(page);
    const beyond = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    if (beyond > 0) found.push(`${beyond} px beyond ${width}`);
    if (width === 390 || width === 1_440)
      found.push(...(await accessibilityFaults(page)).map((fault) => `${width}: ${fault}`));
  }
  await page.setViewportSize(USUAL);
  assert.deepEqual(found, [], at);
}

const button = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole("button", { name, exact: true });
const link = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole("link", { name, exact: true });
const item = (page: Page, name: string) => page.getByRole("menuitem", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
const field = (within: Page | Locator, name: string) => within.getByLabel(name, { exact: true });
const select = (within: Page | Locator, name: string) => within.getByRole("combobox", { name, exact: true });
const navigation = (page: Page, name: string) =>
  page.getByRole("navigation").getByRole("link", { name: new RegExp(`^${name}`) });
const row = (page: Page, group: string | RegExp, title: string) =>
  page.getByRole("list", { name: group, exact: true }).getByRole("listitem").filter({ hasText: title });
/** The dialog of a page. A message that goes by itself has this role too, without being modal. */
const dialog = (page: Page) => page.locator("[role=dialog]:not([aria-modal=false])");

/** Adds a user, and returns their first token. */
async function invite({ page, hands, look }: Person, email: string): Promise<string> {
  await hands.press(button(page, "New user").first());
  await hands.write(field(dialog(page), "Email"), email);
  await hands.press(dialog(page).getByRole("checkbox", { name: /Create a first token/ }));
  await look("a new user");
  await hands.press(button(dialog(page), /^(Add the|Create) user$/));
  const token = (await dialog(page).getByTestId("new-token").textContent()) ?? "";
  await dialog(page).getByText(`${origin}/console/`).waitFor();
  await look("a first token");
  await hands.press(button(dialog(page), "I have copied it"));
  await page.getByRole("row").filter({ hasText: email }).waitFor();
  return token;
}

/** Shares the object that is shown with the organization. */
async function shareWithAll({ page, hands, look }: Person): Promise<void> {
  await hands.press(button(page, "More actions"));
  await hands.press(item(page, "Share…"));
  await hands.choose(select(dialog(page), "Access of everyone in the organization"), "Can use it");
  await look("shared with all");
  await hands.press(button(dialog(page), "Done"));
  await dialog(page).waitFor({ state: "detached" });
}

/** Gives the organization what its members need: the git host, an agent that asks, and an environment. */
async function equip(admin: Person, account: string): Promise<void> {
  const { page, hands, look } = admin;
  const app = git.apps.create();
  const installation = git.apps.install({ app, account });
  await hands.press(navigation(page, "Connections"));
  await hands.press(button(page, "New connection").first());
  await hands.write(field(dialog(page), "Name"), "Our git host");
  await hands.write(dialog(page).getByLabel(/^(Address|URL) of the host/), git.url);
  await hands.write(field(dialog(page), "App id"), app.id);
  await hands.write(field(dialog(page), "Installation id"), installation);
  await hands.write(field(dialog(page), "Private key"), app.privateKey);
  await hands.choose(select(dialog(page), "Who uses it"), "Everyone in the organization");
  await look("a new connection");
  await hands.press(button(dialog(page), /^(Make the|Create) connection$/));
  await hands.press(button(dialog(page), /^Test (the )?connection$/));
  await dialog(page).getByRole("status").getByText(`installed for '${account}'`).waitFor();
  await look("a connection");
  await hands.press(button(dialog(page), "Close"));

  await hands.press(navigation(page, "Agents"));
  await hands.press(link(page, "New agent").first());
  await hands.write(field(page, "Name").first(), "Engineer");
  await hands.choose(select(page, "Model"), /^team\/coder/);
  await hands.choose(select(page, "Calls of Bash"), /^Asks first/);
  await look("a new agent");
  await hands.press(button(page, "Create agent"));
  await shareWithAll(admin);

  await hands.press(navigation(page, "Environments"));
  await hands.press(link(page, "New environment").first());
  await hands.write(field(page, "Name").first(), "Widgets");
  await look("a new environment");
  await hands.press(button(page, "Create environment"));
  await shareWithAll(admin);
}

const DONE = /^Done,? (and )?not seen/;
const TITLE = "Greet people politely";

/** Starts a session on a repository of the connection, and shares it for writing. */
async function start(ada: Person, account: string, colleague: string): Promise<void> {
  const { page, hands, look } = ada;
  await link(page, "New session").last().waitFor();
  await look("an empty home");
  await hands.press(link(page, "New session").first());
  await hands.write(field(page, "Task"), TITLE);
  await select(page, "Agent").filter({ hasText: "Engineer" }).waitFor();
  await select(page, "Environment").filter({ hasText: "Widgets" }).waitFor();
  await hands.press(button(page, /^Add (a )?repository$/));
  await hands.write(field(page, "Repository"), "widg");
  await page.locator(`datalist option[value='${account}/widget']`).waitFor({ state: "attached" });
  await hands.write(field(page, "Repository"), `${account}/widget`);
  await select(page, "Type").filter({ hasText: "At a git provider" }).waitFor();
  await look("a new session");
  await hands.press(button(page, "Start session"));
  await page.waitForURL(/\/console\/sessions\/sess/);
  await asks(page).waitFor();
  await look("a call that waits");

  await hands.press(button(page, "More"));
  await hands.press(item(page, "Share…"));
  await hands.write(field(dialog(page), "Share with"), colleague);
  await hands.choose(select(dialog(page), "Access"), "Can write to it");
  await hands.press(button(dialog(page), "Share"));
  await dialog(page).getByText(colleague).waitFor();
  await look("shared with a colleague");
  await hands.press(button(dialog(page), "Done"));
}

const asks = (page: Page) => page.getByText("May the agent do this?");
const transcript = (page: Page) => page.getByRole("region", { name: "Transcript" });

/** Finds the shared session, comments on a line of it, and allows the calls that wait. */
async function review({ page, hands, look }: Person): Promise<void> {
  await hands.press(navigation(page, "Sessions"));
  await hands.press(button(page, "Shared with me"));
  await look("sessions shared with me");
  await hands.press(link(page, TITLE));
  await asks(page).waitFor();
  await hands.press(page.getByRole("tab", { name: "Changes", exact: true }));
  const files = page.getByRole("list", { name: "Files" });
  await hands.press(files.getByRole("button", { name: /greet\.js/, expanded: false }));
  const diff = page.getByRole("group", { name: "Diff of greet.js" });
  await hands.comment(diff, "Comment on line 2");
  await hands.write(field(page, "Comment on greet.js, line 2"), "Say it in the evening, too.");
  await look("a comment");
  await hands.press(button(page, "Save"));
  await hands.press(button(page, "Send 1 comment"));
  await transcript(page).getByText("Say it in the evening, too.").waitFor();
  await allow(page, hands);
  await transcript(page).getByText("git push -q origin polite").first().waitFor();
  await allow(page, hands);
  await transcript(page).getByText("the branch is pushed").waitFor();
  await look("a session that another started");
}

/** Allows the call that waits, once there is one. */
async function allow(page: Page, hands: Hands): Promise<void> {
  await asks(page).waitFor();
  await hands.press(page.getByRole("button", { name: /^Allow\b(?! all)/ }));
  await page
    .getByText(/^Allowed by you/)
    .last()
    .waitFor();
}

/** Has the agent open a pull request, and follows it to its merge. */
async function publish({ page, hands, look }: Person, account: string, colleague: string): Promise<void> {
  await hands.press(link(page, TITLE).first());
  await transcript(page)
    .getByText(new RegExp(`^Allowed by ${colleague}`))
    .nth(1)
    .waitFor();
  await transcript(page).getByText(colleague, { exact: true }).first().waitFor();
  await hands.press(page.getByRole("tab", { name: "Changes", exact: true }));
  await page.getByRole("list", { name: "Commits" }).getByText("pushed", { exact: true }).waitFor();
  await hands.press(button(page, "Create pull request"));
  await look("asking for a pull request");
  await hands.press(button(dialog(page), "Ask the agent"));
  await dialog(page).waitFor({ state: "detached" });
  await allow(page, hands);
  await transcript(page).getByText("It is open.", { exact: true }).waitFor();

  const card = page.getByRole("article", { name: "Pull request 1" });
  await card.getByText("open", { exact: true }).waitFor();
  const project = git.project(account, "widget");
  const [pull] = project.pullRequests;
  assert.ok(pull !== undefined);
  assert.equal(pull.headOid, await git.head(account, "widget", "polite"));
  pull.checks = [{ name: "test", state: "success", by: "run" }];
  pull.reviews = [{ author: "grace", state: "approved", at: new Date() }];
  const seen = async (text: string) =>
    await waitUntil(
      async () => {
        if ((await card.getByText(text, { exact: true }).count()) > 0) return true;
        await hands.press(button(page, "Refresh pull requests"));
        return false;
      },
      () => `${text} is not shown`,
    );
  await seen("passing");
  await card.getByText("grace: approved").waitFor();
  await look("a pull request");
  project.change(1, { state: "MERGED" });
  await seen("merged");
  await look("a merged pull request");
}

async function walk(account: string, handsOf: (page: Page) => Hands, checks: boolean): Promise<void> {
  const at = (name: string) => `${name}@${account}.example.com`;
  await git.createRepository({ org: account, name: "widget", private: true, files: { "greet.js": SOURCE } });
  const admin = await person(
    await berth.token({ org: account, user: at("root"), role: "admin" }),
    handsOf,
    checks,
  );
  await admin.hands.press(navigation(admin.page, "Administration"));
  const tokens = [await invite(admin, at("ada")), await invite(admin, at("grace"))];
  await equip(admin, account);

  const ada = await person(tokens[0] ?? "", handsOf, checks);
  await start(ada, account, at("grace"));
  await ada.hands.press(navigation(ada.page, "Home"));
  await row(ada.page, "Waits for you", TITLE).waitFor();
  await ada.look("home with what waits");

  const grace = await person(tokens[1] ?? "", handsOf, checks);
  await review(grace);
  await grace.hands.press(navigation(grace.page, "Home"));
  await grace.page
    .getByRole("heading", { name: /^(Nothing waits for you|Start (a|your first) session)$/ })
    .waitFor();
  await row(ada.page, DONE, TITLE)
    .getByText(/Good evening/)
    .waitFor();
  await ada.page.getByRole("navigation").getByText("1 not seen", { exact: true }).waitFor();
  await ada.look("home with what is done");
  await publish(ada, account, at("grace"));

  await row(grace.page, DONE, TITLE).getByText("It is open.").waitFor();
  await grace.look("home of a colleague");
  await ada.hands.press(navigation(ada.page, "Home"));
  await ada.page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();

  const { page, hands, look } = admin;
  await hands.press(navigation(page, "Home"));
  await hands.press(navigation(page, "Administration"));
  await hands.press(page.getByRole("tab", { name: "Audit log", exact: true }));
  const entry = (what: string, who: string) =>
    page
      .getByRole("row")
      .filter({ hasText: what })
      .filter({ hasText: at(who) });
  await entry("events.send allow", "grace").nth(1).waitFor();
  await entry("events.send allow", "ada").waitFor();
  await entry("Create a session", "ada").waitFor();
  await entry("Share a session with a user or the organization", "ada").waitFor();
  await entry("Create a connection to a git host", "root").waitFor();
  await look("the audit log");
  for (const { faults } of [admin, ada, grace]) assert.deepEqual(faults, []);
}

covers(
  ["console-team", "console-accessible", "console-narrow"],
  "a team by mouse: from invitation to merged pull request, and each screen at four widths in both themes",
  () => walk("acme", mouse, true),
);

covers(
  ["console-team", "console-accessible"],
  "a team by keyboard alone: from invitation to merged pull request, with the focus always visible",
  () => walk("globex", keyboard, false),
);
