// Tests the usage panel of a session: tokens by kind, from the cache, cost, and savings by compactions.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { AnyJson } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn } from "../acceptance/harness/fixtures.ts";
import { Console } from "./harness/console.ts";

const console = await Console.start();
const { api } = console;
const COUNT = new Intl.NumberFormat("en-US");

/** Returns the values in a panel's section, by name. */
async function factsOf(page: Page, title: string): Promise<AnyJson> {
  const section = page
    .locator("section")
    .filter({ has: page.getByRole("heading", { name: title, exact: true }) });
  const [names, values] = await Promise.all([
    section.locator("dt").allTextContents(),
    section.locator("dd").allTextContents(),
  ]);
  return Object.fromEntries(names.map((name, index) => [name, values[index]]));
}

covers(
  ["console-screens", "session-compaction-savings", "session-cache-share"],
  "usage of a session: tokens by kind, and what compactions saved, as the API says, on a phone and in the dark too",
  async () => {
    const agent = await makeAgent(api, { model: { id: "rehearsal/steps", context_window: 6_000 } });
    const environment_id = (await makeEnvironment(api)).id;
    const { id } = await api.ok("POST", "/sessions", { agent: agent.id, environment_id, title: "Long" });
    const { page, faults } = await console.signedIn(`/sessions/${id}?panel=usage`);
    await page.getByText("The context was not compacted.").waitFor();
    await runTurn(api, id, ...Array.from({ length: 6 }, () => bash("seq 1 1200")), { say: "done" });
    const { usage, compaction } = await api.ok("GET", `/sessions/${id}`);
    assert.ok(compaction.count >= 1);
    await page.getByText("Input avoided", { exact: true }).waitFor();
    for (const [width, colorScheme] of [
      [1_440, "light"],
      [390, "dark"],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await factsOf(page, "Tokens"), {
        Input: COUNT.format(usage.input_tokens),
        "Cache read": "0",
        "Cache write": "0",
        Output: COUNT.format(usage.output_tokens),
      });
      const plural = compaction.count === 1 ? "" : "s";
      const { summary_usage: summaries } = compaction;
      assert.deepEqual(await factsOf(page, "Compaction"), {
        "Input avoided": `${COUNT.format(compaction.avoided_input_tokens)} tokens after ${compaction.count} compaction${plural}`,
        Summaries: `${COUNT.format(summaries.input_tokens)} read, ${COUNT.format(summaries.output_tokens)} written`,
        Saved: "about $0.00",
      });
      const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      assert.ok(overflow <= 0, `${overflow} pixels beyond the window`);
    }
    assert.deepEqual(faults, []);
  },
);
