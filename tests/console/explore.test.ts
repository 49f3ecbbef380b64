// Tests an Explore call in the console: its loop is folded into a line with its calls, tokens and cost, and
// opens in place.
import assert from "node:assert/strict";
import type { Json } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeAgent, makeSession, runTurn } from "../acceptance/harness/fixtures.ts";
import { Console } from "./harness/console.ts";

const console = await Console.start();
const { api } = console;

function ask(...list: Json[]): Json {
  return { tool: "Explore", input: { question: JSON.stringify({ steps: list }) } };
}

covers(
  ["console-screens", "explore-events"],
  "an Explore call: its loop is folded below it, opens with its calls and its answer, and is in no other place",
  async () => {
    const tools = [{ type: "agent_toolset_20260401", configs: [{ name: "Explore" }] }];
    const agent = await makeAgent(api, { tools });
    const { id } = await makeSession(api, { agent: agent.id, title: "Searches" });
    const { page, faults } = await console.signedIn(`/sessions/${id}`);
    const grep = { tool: "Grep", input: { pattern: "tax is", output_mode: "content" } };
    const events = await runTurn(
      api,
      id,
      bash("echo 'the tax is 19' >tax.txt"),
      ask(grep, { tool: "Read", input: { file_path: "tax.txt" } }, { say: "tax.txt:1 says 19." }),
      { say: "So it is 19." },
    );
    await page.getByText("So it is 19.", { exact: true }).waitFor();
    const used = events
      .filter((event) => event.parent_tool_use_id !== undefined && event.model_usage)
      .reduce((sum, event) => sum + event.model_usage.output_tokens, 0);
    const line = page.getByRole("button", { name: /^2 calls/ });
    // The price arrives with another request.
    await line.filter({ hasText: ` in, ${used} out · $0.00 · rehearsal/steps` }).waitFor();
    assert.equal(await line.getAttribute("aria-expanded"), "false");
    assert.equal(await page.getByRole("button", { name: /^Grep/ }).count(), 0);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await line.click();
      const loop = page.getByRole("list", { name: "What it did" });
      await loop.getByRole("button", { name: /^Grep/ }).waitFor();
      assert.equal(await loop.getByRole("button", { name: /^Read/ }).count(), 1);
      await loop.getByText("tax.txt:1 says 19.", { exact: true }).waitFor();
      assert.equal(await loop.getByText("1:the tax is 19").count(), 0, "its calls are folded");
      await loop.getByRole("button", { name: /^Grep/ }).click();
      await loop.getByText("1:the tax is 19").waitFor();
      await loop.getByRole("button", { name: /^Grep/ }).click();
      await page.setViewportSize({ width: 390, height: 900 });
      const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      assert.ok(overflow <= 0, `${overflow} pixels beyond the window`);
      await page.setViewportSize({ width: 1_440, height: 900 });
      await line.click();
      assert.equal(await loop.count(), 0);
    }
    const nested = events.find(
      (event) => event.parent_tool_use_id !== undefined && event.type === "agent.message",
    );
    await page.goto(`${console.origin}/console/sessions/${id}?event=${nested.id}`);
    await page.getByRole("button", { name: /^2 calls/ }).waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-screens", "explore"],
  "the form of an agent: Explore is off, can be switched on, and what the form does not show of it stays",
  async () => {
    const options = { max_requests: 7, max_tokens: 20_000, model: "rehearsal/steps" };
    const tools = [{ type: "agent_toolset_20260401", configs: [{ name: "Explore", enabled: false }] }];
    const plain = await makeAgent(api, { tools });
    const { page, faults } = await console.signedIn(`/agents/${plain.id}`);
    await page.getByText("Answers a question about the files").waitFor();
    assert.deepEqual(plain.tools[0].enabled_tools.includes("Explore"), false);
    const exploring = await makeAgent(api, {
      tools: [{ type: "agent_toolset_20260401", configs: [{ name: "Explore", ...options }] }],
    });
    await page.goto(`${console.origin}/console/agents/${exploring.id}/edit`);
    await page.getByLabel("Bytes of a result of Explore").fill("3000");
    await page.getByRole("button", { name: /^Save/ }).click();
    await page.getByText("3,000 bytes of a result").waitFor();
    const changed = await api.ok("GET", `/agents/${exploring.id}`);
    const [config] = changed.tools[0].configs;
    assert.deepEqual(
      [config.max_result_bytes, config.max_requests, config.max_tokens, config.model],
      [3_000, 7, 20_000, "rehearsal/steps"],
    );
    assert.deepEqual(faults, []);
  },
);
