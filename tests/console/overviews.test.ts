// Tests the screens across all sessions, in a browser: the registry of Forward, usage, and the health of the
// installation.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { AnyJson } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { makeAgent, makeEnvironment, makeSkill, runTurn } from "../acceptance/harness/fixtures.ts";
import { Console } from "./harness/console.ts";

const console = await Console.start();
const { api, origin } = console;

function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).click();
}

covers(
  ["console-screens", "console-faults"],
  "forward: an id that is nothing is told at its field; a resource is registered, listed by its kind, and looked at",
  async () => {
    const skill = await makeSkill(api, "speaker");
    const { page, faults } = await console.signedIn("/forward");
    const dialog = page.getByRole("dialog");
    await page.getByText("No environments are registered yet").waitFor();
    await page.getByRole("button", { name: "Skills", exact: true }).click();
    await page.getByText("No skills are registered yet").waitFor();
    assert.match(page.url(), /type=skill/);
    await page.keyboard.press("n");
    const id = dialog.getByLabel("Id", { exact: true });
    await id.fill("skill_00000000000000000000000000");
    await press(page, "Register");
    await id.and(page.locator("[aria-invalid=true]")).waitFor();
    await dialog
      .getByText(/skill_0+/)
      .first()
      .waitFor();
    await dialog.getByRole("button", { name: /^speaker/ }).click();
    assert.equal(await id.inputValue(), skill.id);
    await dialog.getByRole("button", { name: "Register", exact: true }).click();
    await page.getByText("The resource is registered").waitFor();
    const [registered] = (await api.ok("GET", "/api/v1/forward/resources?type=skill")).data;
    assert.equal(registered.id, skill.id);
    await page.getByRole("row").getByRole("button", { name: "speaker", exact: true }).click();
    await dialog.getByText("resource_spec").waitFor();
    assert.match(page.url(), new RegExp(`resource=${skill.id}`));
    await dialog.getByRole("link", { name: "Open the skill" }).click();
    await page.getByRole("heading", { name: "speaker", level: 1 }).waitFor();
    assert.deepEqual(faults, []);
  },
);

let sessions: AnyJson[];
before(async () => {
  const environment = await makeEnvironment(api, { name: "Builds" });
  sessions = [];
  for (const name of ["Reviewer", "Writer"]) {
    const agent = await makeAgent(api, { name });
    const session = await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id });
    await runTurn(api, session.id, { say: `I am ${name}` });
    sessions.push(session);
  }
});

covers(
  ["console-screens", "usage-totals"],
  "usage: charts that tables have the numbers of, which are those of the API; filters in the address; days without any",
  async () => {
    const { data: days } = await api.ok("GET", "/usage?group_by=day");
    const day = days.at(-1).key;
    const { page, faults } = await console.signedIn(`/usage?from=${day}&to=${day}`);
    const chart = page.getByRole("application", { name: /^Cost by day/ });
    await chart.waitFor();
    await page.getByRole("button", { name: /^Tokens/ }).click();
    await page.waitForURL(/show=tokens/);
    const { total, data } = await api.ok("GET", `/usage?group_by=agent&from=${day}&to=${day}`);
    const tokens = Object.values<number>(total.usage).reduce((sum, kind) => sum + kind, 0);
    const today = page.getByRole("application", { name: /^Tokens by day/ });
    await today.focus();
    await page.keyboard.press("End");
    await page.getByText(`${DAY.format(new Date(day))}: ${SHORT.format(tokens)}`, { exact: true }).waitFor();

    await press(page, "Tables");
    const table = page.getByRole("table", { name: "Usage by agent" });
    await table.waitFor();
    assert.deepEqual(
      await rowsOf(table),
      [...data, { ...total, name: "Total" }].map((group: AnyJson) => [group.name, ...figuresOf(group)]),
    );
    const download = page.waitForEvent("download");
    await press(page, "Download CSV");
    const file = await download;
    assert.equal(file.suggestedFilename(), `usage-by-agent-${day}-${day}.csv`);
    const [head, ...lines] = (await readFile(await file.path(), "utf8")).split("\r\n");
    assert.match(head ?? "", /^agent_id,name,list_cost_usd,sessions,turns,active_seconds,input_tokens,/);
    for (const [index, { key, name, sessions, turns }] of data.entries())
      assert.match(lines[index] ?? "", new RegExp(`^${key},${name},0,${sessions},${turns},`));
    await press(page, "Environment");
    await page.getByRole("table", { name: "Usage by environment" }).getByText("Builds").waitFor();
    await page.reload();
    await page.getByRole("table", { name: "Usage by environment" }).getByText("Builds").waitFor();
    assert.match(page.url(), /by=environment/);
    await page.getByRole("link", { name: "Builds" }).click();
    await page.getByRole("heading", { name: "Sessions", level: 1 }).waitFor();
    for (const name of ["Reviewer", "Writer"])
      await page.getByRole("row").filter({ hasText: name }).waitFor();

    await page.goto(`${origin}/console/usage?view=table`);
    await page.getByLabel("First day").fill("2020-01-01");
    await page.getByLabel("Last day").fill("2020-01-31");
    await page.getByText("No usage on these days").waitFor();
    assert.match(page.url(), /from=2020-01-01&to=2020-01-31/);
    await page.goto(`${origin}/console/usage?from=2020-02-01&to=2020-01-01`);
    await page.locator("main").getByText("request_id").waitFor();
    assert.deepEqual(faults, []);
  },
);

const DAY = new Intl.DateTimeFormat("en-US", { timeZone: "UTC", month: "short", day: "numeric" });
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const COUNT = new Intl.NumberFormat("en-US");

/** Returns the cells of a table's body, without the active time, which is formatted for people. */
async function rowsOf(table: Locator): Promise<string[][]> {
  const rows = await table.locator("tbody tr").all();
  const cells = await Promise.all(rows.map((row) => row.locator("td").allTextContents()));
  return cells.map((row) => row.filter((_, index) => index !== 4));
}

/** Returns the same cells from a group of the API. The test model costs nothing. */
function figuresOf({ sessions: count, turns, usage, cached_input_share: share }: AnyJson): string[] {
  assert.equal(share, 0, "the model of tests has no cache");
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage;
  const kinds = [input_tokens, cache_read_input_tokens, cache_creation_input_tokens];
  const numbers = [count, turns, ...kinds].map((number) => COUNT.format(number));
  return ["$0.00", ...numbers, "0.0 %", COUNT.format(output_tokens)];
}

covers(
  ["console-screens", "console-faults"],
  "health: an admin sees what doctor says, and owners by name; a member is told that it is not for them",
  async () => {
    const admin = await console.berth.client({ user: "admin@example.com", role: "admin" });
    const seen = await console.signedIn("/health", { token: admin.token });
    const { checks, version } = await admin.ok("GET", "/health");
    assert.ok(checks.length > 3);
    await seen.page.getByText(`Berth ${version}`).waitFor();
    const lines = await seen.page.getByRole("listitem").allTextContents();
    for (const { detail } of checks)
      assert.ok(
        lines.some((line) => line.includes(detail)),
        `${detail} is not among\n${lines.join("\n")}`,
      );
    const filter = seen.page.getByRole("button", { name: "Only problems" });
    await filter.click();
    await filter.and(seen.page.locator("[aria-pressed=true]")).waitFor();
    const faulty = checks.filter(({ state }: AnyJson) => state !== "yes");
    for (const { detail, state } of checks)
      assert.equal(await seen.page.getByText(detail, { exact: true }).count(), state === "yes" ? 0 : 1);
    assert.equal(await seen.page.getByText("Every check passes.").count(), faulty.length === 0 ? 1 : 0);
    assert.match(seen.page.url(), /faults=true/);
    await seen.page.goto(`${origin}/console/sessions/${sessions[0].id}?panel=details`);
    await seen.page.getByText("owner@example.com", { exact: true }).waitFor();
    assert.deepEqual(seen.faults, []);

    const { page, faults } = await console.signedIn("/health");
    await page.getByText("You do not have access").waitFor();
    await page.getByText(/You are owner@example\.com, a member of/).waitFor();
    await page.locator("main").getByText("request_id").waitFor();
    for (const { detail } of checks) assert.ok(!(await page.content()).includes(detail));
    assert.deepEqual(faults, []);
  },
);
