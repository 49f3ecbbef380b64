// Tests deployments in a browser: made, run, paused, changed, shared and archived, by mouse and by keyboard.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { makeAgent, makeEnvironment, steps } from "../acceptance/harness/fixtures.ts";
import { accessibilityFaults } from "./harness/accessibility.ts";
import { Console } from "./harness/console.ts";
import { drawn } from "./harness/drawn.ts";
import { type Hands, keyboard, mouse } from "./harness/hands.ts";

const console = await Console.start();
const { berth, origin } = console;

const SAYS = '{"steps": [{"say": "The tests pass."}]}';

/** Returns the owner of an agent and an environment, in an organization of their own. */
async function owner(org: string): Promise<{ api: Api; agent: AnyJson; environment: AnyJson }> {
  const api = await berth.client({ org, user: `owner@${org}.example.com` });
  const [agent, environment] = [await makeAgent(api, { name: "Tester" }), await makeEnvironment(api)];
  return { api, agent, environment };
}

async function deploy(
  { api, agent, environment }: Awaited<ReturnType<typeof owner>>,
  fields: object = {},
): Promise<AnyJson> {
  return await api.ok("POST", "/deployments", {
    ...{ name: "Nightly", agent: agent.id, environment_id: environment.id },
    initial_events: [steps({ say: "Done." })],
    ...fields,
  });
}

const NIGHTLY = { type: "cron", expression: "0 3 * * *", timezone: "Europe/Berlin" };
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true }).first();
const runs = (page: Page) => page.getByRole("table", { name: "Runs" }).getByRole("row");

/** Makes a deployment, and uses all that its page has. */
async function wholeLife(org: string, handsOf: (page: Page) => Hands): Promise<void> {
  const { api, agent } = await owner(org);
  const { page, faults } = await console.signedIn("/", { token: api.token });
  const { press, write, choose } = handsOf(page);
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await page.getByText("A deployment starts sessions by itself").waitFor();
  await page.keyboard.press("n");
  await field(page, "Environment").waitFor();

  await press(button(page, "Create deployment"));
  await page
    .getByText(/^Field .name. must/)
    .first()
    .waitFor();
  assert.equal(await field(page, "Name").getAttribute("aria-invalid"), "true");
  await write(field(page, "Name"), "Nightly");
  await choose(field(page, "Runs"), "By a cron expression");
  await write(field(page, "Cron expression"), "0 25 * * *");
  await write(field(page, "Time zone"), "Europe/Berlin");
  await page
    .getByRole("status")
    .getByText(/^The hour '25' must be like/)
    .waitFor();
  await write(field(page, "Message"), SAYS);
  await press(button(page, "Create deployment"));
  await page
    .getByText(/^Field 'schedule.expression' cannot be read\. The hour .25./)
    .first()
    .waitFor();
  assert.equal(await field(page, "Cron expression").getAttribute("aria-invalid"), "true");
  await page.reload();
  assert.equal(await field(page, "Cron expression").inputValue(), "0 25 * * *");
  await choose(field(page, "Runs"), /^On weekdays/);
  const upcoming = page.getByRole("list", { name: "Next runs" }).getByRole("listitem");
  const previewed = await upcoming.allTextContents();
  await press(button(page, "Create deployment"));
  await page.waitForURL(/\/deployments\/dep_/);
  const [made] = (await api.ok("GET", "/deployments")).data;
  assert.deepEqual([made.schedule.expression, made.schedule.timezone], ["0 3 * * 1-5", "Europe/Berlin"]);
  const shown = page.getByRole("list", { name: "Upcoming runs" }).getByRole("listitem");
  await shown.nth(4).waitFor();
  assert.deepEqual(await shown.allTextContents(), previewed);
  await page.getByText("Monday to Friday at 03:00, Europe/Berlin").waitFor();

  await press(button(page, "Run now"));
  await runs(page).getByText("By hand").waitFor();
  await press(button(page, "Pause"));
  await page.getByText("Paused by hand.").waitFor();
  await page.getByText("Nothing runs while it is paused.").waitFor();
  await press(button(page, "Resume"));
  await shown.first().waitFor();
  await press(page.getByRole("link", { name: "Edit", exact: true }));
  await write(field(page, "Description"), "Each night.");
  await choose(field(page, "Version"), "Always version 1");
  await press(page.getByRole("switch", { name: "Follow until merged" }));
  await write(field(page, "Messages to the agent"), "0");
  await press(button(page, "Save"));
  await page
    .getByText(/^Field .follow.max_attempts. must/)
    .first()
    .waitFor();
  assert.equal(await field(page, "Messages to the agent").getAttribute("aria-invalid"), "true");
  await write(field(page, "Messages to the agent"), "3");
  await press(button(page, "Save"));
  await page.getByText("Each night.").waitFor();
  await page.getByText("Followed until merged. At most 3 messages.").waitFor();
  const changed = await api.ok("GET", `/deployments/${made.id}`);
  assert.deepEqual([changed.agent.version, changed.schedule.expression], [1, "0 3 * * 1-5"]);
  assert.equal(changed.follow.max_attempts, 3);

  await api.ok("POST", `/agents/${agent.id}/archive`);
  await press(button(page, "Run now"));
  await runs(page).getByText("The agent is archived.").waitFor();
  await press(button(page, "With errors"));
  await runs(page).getByText("By hand").nth(1).waitFor({ state: "detached" });
  await runs(page).getByText("The agent is archived.").waitFor();
  assert.match(page.url(), /failed=true/);
  assert.equal(await runs(page).count(), 2, "the heading and the run that failed");
  await press(button(page, "With errors"));

  await press(runs(page).getByRole("link").first());
  await page.getByText("The tests pass.", { exact: true }).waitFor();
  await press(page.getByRole("link", { name: "By the deployment Nightly" }).first());
  await button(page, "Run now").waitFor();
  await press(button(page, "More actions"));
  await press(page.getByRole("menuitem", { name: "Archive…" }));
  await press(button(page, "Archive"));
  await page.getByText("The deployment is archived").waitFor();
  await page.getByText("It runs no more.", { exact: true }).waitFor();
  assert.equal(await button(page, "Run now").count(), 0);
  assert.notEqual((await api.ok("GET", `/deployments/${made.id}`)).archived_at, null);
  assert.deepEqual(faults, []);
}

covers(
  ["console-deployments", "console-faults", "console-drafts"],
  "a deployment by mouse: made with its faults at their fields, run, paused, resumed, changed, failed, and archived",
  () => wholeLife("by-mouse", mouse),
);

covers(["console-deployments", "console-faults"], "a deployment by keyboard alone", () =>
  wholeLife("by-keyboard", keyboard),
);

covers(
  ["console-deployments", "console-sharing"],
  "the list: status with its reason, next and last run, whose it is; who may only read it sees its runs, and changes nothing",
  async () => {
    const made = await owner("listed");
    const { api } = made;
    const nightly = await deploy(made, { schedule: NIGHTLY });
    const paused = await deploy(made, { name: "Held", schedule: NIGHTLY });
    await deploy(made, { name: "Asked" });
    await api.ok("POST", `/deployments/${paused.id}/pause`);
    await api.ok("POST", `/deployments/${nightly.id}/run`);
    await api.ok("POST", `/deployments/${nightly.id}/share`, { access: "read" });
    const reader = await berth.client({ org: "listed", user: "reader@listed.example.com" });
    const { page, faults } = await console.signedIn("/deployments", { token: api.token });
    const line = (text: string) => page.getByRole("row").filter({ hasText: text });
    await line("Held").getByText("Paused by hand.").waitFor();
    await line("Asked").getByText("Only when asked").waitFor();
    await line("Asked").getByText("Never").waitFor();
    await line("Nightly").getByText("Active").waitFor();
    await line("Nightly")
      .getByText(/^in \d+[mh]$/)
      .waitFor();
    await line("Nightly").getByText("just now").waitFor();
    await line("Nightly").getByText("Me", { exact: true }).waitFor();

    const { page: other } = await console.signedIn("/deployments", { token: reader.token });
    await other.getByText("owner@listed.example.com").waitFor();
    await other.getByRole("link", { name: "Nightly" }).click();
    await runs(other).getByText("By hand").waitFor();
    for (const name of ["Run now", "Pause"]) assert.equal(await button(other, name).count(), 0, name);
    assert.equal(await other.getByRole("link", { name: "Edit" }).count(), 0);
    await api.ok("POST", `/deployments/${nightly.id}/share`, { access: "read" });
    await api.ok("POST", `/deployments/${nightly.id}/share`, {
      user: "reader@listed.example.com",
      access: "write",
    });
    await other.reload();
    await button(other, "Run now").click();
    await runs(other).nth(2).waitFor();
    assert.equal(await other.getByRole("link", { name: "Edit", exact: true }).count(), 0);

    await page.goto(`${origin}/console/sessions?deployment=${nightly.id}`);
    await page.getByRole("button", { name: "Deployment: Nightly" }).waitFor();
    await page.getByRole("link", { name: "By the deployment Nightly" }).first().click();
    await runs(page).nth(2).waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-deployments"],
  "a change of one field keeps the tokens of repositories, and what the form does not show",
  async () => {
    const made = await owner("kept");
    const { api } = made;
    const url = "https://git.invalid/acme/parser";
    const resources = [{ type: "git_repository", url, password: "canary-of-a-deployment" }];
    const { id } = await deploy(made, {
      ...{ resources, environment_variables: { CI: "1" }, metadata: { team: "core" } },
      schedule: { type: "at", at: "2100-01-01T09:00:00.000Z" },
    });
    const { page } = await console.signedIn(`/deployments/${id}/edit`, { token: api.token });
    await page.getByText("The tokens are kept while no repository").waitFor();
    await field(page, "Budget").fill("0.5");
    const sent = page.waitForRequest((request) => request.method() === "POST");
    await button(page, "Save").click();
    assert.deepEqual(JSON.parse((await sent).postData() ?? ""), {
      budget: { type: "limit", max_list_cost: { amount: "50", currency: "USD" } },
    });
  },
);

covers(
  ["console-deployments", "console-accessible", "console-narrow"],
  "deployments at 390 and 1440 pixels, light and dark: nothing that axe finds, nothing to scroll sideways",
  async () => {
    const made = await owner("looks");
    const { api, agent } = made;
    const { id } = await deploy(made, {
      name: `Nightly ${"tests".repeat(20)}`,
      schedule: NIGHTLY,
      description: "Runs the tests of all repositories each night, and says what is wrong.",
      resources: [{ type: "git_repository", url: `https://git.invalid/acme/${"parser".repeat(20)}` }],
    });
    await api.ok("POST", `/deployments/${id}/run`);
    await api.ok("POST", `/agents/${agent.id}/archive`);
    for (let run = 0; run < 5; run++) await api.ok("POST", `/deployments/${id}/run`);
    const { page, faults } = await console.signedIn("/", { token: api.token });
    const found: string[] = [];
    for (const path of ["", `/${id}`, `/${id}?tab=api`, `/${id}/edit`, "/new"]) {
      await page.goto(`${origin}/console/deployments${path}`);
      await page.locator("main").locator("h1").waitFor();
      await page.locator("main .animate-spin").first().waitFor({ state: "detached" });
      for (const [width, height] of [
        [390, 844],
        [1_440, 900],
      ] as const) {
        await page.setViewportSize({ width, height });
        for (const fault of await accessibilityFaults(page)) found.push(`${path} ${width}: ${fault}`);
        await drawn(page);
        const beyond = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        if (beyond > 0) found.push(`${path}: ${beyond} px beyond ${width}`);
        if (process.env.TEST_SCREENSHOTS !== undefined)
          await page.screenshot({
            path: `${process.env.TEST_SCREENSHOTS}/deployments${path.replaceAll(/\W/g, "-")}-${width}.png`,
          });
      }
    }
    assert.deepEqual(found, []);
    assert.deepEqual(faults, []);
  },
);
