// Tests decisions about waiting calls, in browsers: all at once, for the rest of the session, and who was first.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import type { AnyJson } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn } from "../acceptance/harness/fixtures.ts";
import { accessibilityFaults } from "./harness/accessibility.ts";
import { Console } from "./harness/console.ts";

const console = await Console.start();
const { api } = console;

let agent: AnyJson;
let environment: AnyJson;
before(async () => {
  const configs = ["Bash", "Glob"].map((name) => ({ name, permission_policy: { type: "always_ask" } }));
  agent = await makeAgent(api, { tools: [{ type: "agent_toolset_20260401", configs }] });
  environment = await makeEnvironment(api);
});

const newSession = (title: string): Promise<AnyJson> =>
  api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id, title });

const asks = (page: Page) => page.getByText("May the agent do this?");
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

async function confirmations(session: AnyJson): Promise<AnyJson[]> {
  return (await api.ok("GET", `/sessions/${session.id}/events?types[]=user.tool_confirmation`)).data;
}

covers(
  ["console-decisions"],
  "several waiting calls: one button allows them all, and each shows who allowed it, when and from where",
  async () => {
    const session = await newSession("All at once");
    await runTurn(api, session.id, { tools: [bash("echo one"), bash("echo two")] });
    const { page, faults } = await console.signedIn(`/sessions/${session.id}`);
    await asks(page).nth(1).waitFor();
    await button(page, "Allow all 2 waiting").first().click();
    for (const text of [/^one/, /^two/]) await page.getByText(text).waitFor();
    await asks(page).first().waitFor({ state: "detached" });
    const decided = page.getByText(/^Allowed by you.*, in the console$/);
    await decided.nth(1).waitFor();
    assert.match(
      (await decided.first().textContent()) ?? "",
      /^Allowed by you\s*\d+:\d\d:\d\d.*, in the console$/s,
    );
    const stored = await confirmations(session);
    assert.deepEqual(
      stored.map(({ result, created_by }) => [result, created_by.via]),
      Array(2).fill(["allow", "console"]),
    );
    assert.equal(new Set(stored.map(({ created_at }) => created_at)).size, 1, "one request");
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-decisions"],
  "always in this session: by keys, with a suggestion that can be changed; the rule is listed and revoked",
  async () => {
    const session = await newSession("Always");
    await runTurn(api, session.id, bash("echo tests 1"), { say: "First over." });
    const { page, faults } = await console.signedIn(`/sessions/${session.id}?panel=rules`);
    await page.getByText("No rules yet").waitFor();
    await asks(page).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("a");
    const words = page.getByLabel("Always allow commands that begin with");
    assert.equal(await words.inputValue(), "echo tests");
    assert.ok(
      await words.evaluate((element: unknown) => element === (globalThis as AnyJson).document.activeElement),
    );
    assert.deepEqual(await accessibilityFaults(page), []);
    await words.fill("echo tests; rm");
    await page.getByText("Without ;: a command with it always asks.").waitFor();
    assert.ok(await button(page, "Allow always").isDisabled());
    await words.press("Escape");
    await asks(page).waitFor();
    await button(page, /^Always in this session/).click();
    await page.keyboard.press("Enter");
    await page.getByText("First over.", { exact: true }).waitFor();
    await page.getByText("Always allowed in this session by you: echo tests …").waitFor();

    await runTurn(api, session.id, bash("echo tests 2"), { say: "Second over." });
    await page.getByText("Second over.", { exact: true }).waitFor();
    await page.getByText(/^Allowed by the rule “echo tests …” of you/).waitFor();
    assert.equal((await confirmations(session)).length, 1);

    await button(page, "Revoke the rule echo tests …").click();
    await button(page, "Revoke").last().click();
    await page.getByText("No rules yet").waitFor();
    await page.getByText("No longer always allowed by you: echo tests …").waitFor();
    await runTurn(api, session.id, bash("echo tests 3"), { say: "Third over." });
    await asks(page).waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-decisions"],
  "a tool without commands, and a command that no prefix allows: all calls of the tool",
  async () => {
    const session = await newSession("Whole tool");
    await runTurn(api, session.id, { tool: "Glob", input: { pattern: "*.none" } }, { say: "Over." });
    const { page } = await console.signedIn(`/sessions/${session.id}`);
    await button(page, /^Always in this session/).click();
    await page.getByText("All later calls of Glob in this session run without asking.").waitFor();
    await button(page, "Allow always").click();
    await page.getByText("Over.", { exact: true }).waitFor();
    await runTurn(api, session.id, bash("echo a && echo b"), { say: "Both." });
    await button(page, /^Always in this session/).click();
    await page.getByText("This command may chain others").waitFor();
    await button(page, "All commands").click();
    await button(page, "Allow always").click();
    await page.getByText("Both.", { exact: true }).waitFor();
    const { data } = await api.ok("GET", `/sessions/${session.id}/confirmation_rules`);
    assert.deepEqual(
      data.map((rule: AnyJson) => [rule.tool_name, rule.command_prefix]),
      [
        ["Bash", null],
        ["Glob", null],
      ],
    );
  },
);

covers(
  ["console-decisions", "confirm-first"],
  "two people answer at once: the second reads who was first, and what they decided",
  async () => {
    const session = await newSession("First");
    await runTurn(api, session.id, bash("echo one"), { say: "Over." });
    const colleague = await console.berth.client();
    const { page } = await console.signedIn(`/sessions/${session.id}`, { token: colleague.token });
    await asks(page).waitFor();
    const [{ id: call }] = (await api.ok("GET", `/sessions/${session.id}/events?types[]=agent.tool_use`))
      .data;
    // The answer of this page arrives after that of the other.
    await page.route("**/events", async (route) => {
      if (route.request().method() === "POST")
        await api.ok("POST", `/sessions/${session.id}/events`, {
          events: [
            { type: "user.tool_confirmation", tool_use_id: call, result: "deny", deny_message: "Not this." },
          ],
        });
      await route.continue();
    });
    await button(page, /^Allow y/).click();
    const { principal } = await api.ok("GET", "/whoami");
    await page.getByText("This call is already answered").first().waitFor();
    await page
      .getByText(`The call does not await a reply. It was denied by ${principal.name} at 2`)
      .first()
      .waitFor();
    await page.getByText(/^Denied by .*: Not this\..*, over the API$/).waitFor();
  },
);
