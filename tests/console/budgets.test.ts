// Tests budgets in the console: typed with a new session, shown, reached and raised.
import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { covers } from "../acceptance/harness/covers.ts";
import { makeAgent, makeEnvironment } from "../acceptance/harness/fixtures.ts";
import { Console } from "./harness/console.ts";

const file = join(await mkdtemp(join(tmpdir(), "berth-budgets-")), "models.json");
const price = { date: "2026-11-01", input: 100, output: 100 };
await writeFile(file, JSON.stringify({ providers: {}, models: [{ id: "rehearsal/steps", price }] }));
const console = await Console.start({ settings: { BERTH_MODELS_FILE: file } });
const { api } = console;

covers(
  ["console-screens", "budget-stopped"],
  "a budget: typed with a new session, reached, shown beside what was charged, and raised in its note",
  async () => {
    await makeAgent(api, { name: "Frugal" });
    await makeEnvironment(api, { name: "frugal" });
    const { page, faults } = await console.signedIn("/new");
    page.setDefaultTimeout(25_000);
    await page.getByRole("textbox", { name: "Task" }).fill('{"steps": [{"say": "Worth it."}]}');
    await page.getByRole("textbox", { name: "Budget" }).fill("0.20");
    await page.getByRole("button", { name: "Start session" }).click();
    const note = page
      .getByRole("alert")
      .filter({ hasText: "The budget of this session has too little left" });
    await note.waitFor();
    await note.getByLabel("New budget in dollars").fill("9.5");
    await note.getByRole("button", { name: "Change budget" }).click();
    await page.getByText("Worth it.", { exact: true }).waitFor();
    await note.waitFor({ state: "detached" });
    const [session] = (await api.ok("GET", "/sessions")).data;
    assert.equal(session.budget.max_list_cost.amount, "950");
    await page.goto(`${page.url().split("?")[0]}?panel=usage`);
    await page.getByRole("heading", { name: "Budget", exact: true }).waitFor();
    const charged = `$0.${session.usage.list_cost.amount}`;
    await page.getByText(charged, { exact: true }).first().waitFor();
    await page.getByText("$9.50", { exact: true }).waitFor();
    await page.getByLabel("New budget in dollars").fill("0.01");
    await page.getByRole("button", { name: "Change budget" }).click();
    await page.getByText(/must be more than/).waitFor();
    assert.deepEqual(
      faults.filter((fault) => !/400/.test(`${fault}`)),
      [],
    );
  },
);
