import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { makeAgent, makeEnvironment, runTurn } from "../acceptance/harness/fixtures.ts";
import { accessibilityFaults } from "./harness/accessibility.ts";
import { Console } from "./harness/console.ts";

const console = await Console.start();
const { api } = console;

let grace: Api;
let session: AnyJson;
let agent: AnyJson;
before(async () => {
  grace = await console.berth.client({ user: "grace@example.com" });
  agent = await makeAgent(api, { name: "Reviewer" });
  const environment = await makeEnvironment(api);
  session = await api.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    title: "The failing test",
  });
  await runTurn(api, session.id, { say: "It is mended." });
});

const dialog = (page: Page, what: string) => page.getByRole("dialog", { name: `Share this ${what}` });

async function share(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^More/ }).click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
}

covers(
  ["console-sharing"],
  "a session is shared with a colleague, who follows it, then writes to it, then is told whom to ask",
  async () => {
    const at = `/sessions/${session.id}`;
    const [ada, other] = await Promise.all([
      console.signedIn(at),
      console.signedIn(at, { token: grace.token }),
    ]);
    await other.page.getByText(/Ask its owner, \S+@\S+, to share it\./).waitFor();
    await share(ada.page);
    const shown = dialog(ada.page, "session");
    await shown.getByLabel("Share with").fill("nobody@example.com");
    await shown.getByRole("button", { name: "Share", exact: true }).click();
    await shown.getByText("The organization has no active user 'nobody@example.com'.").waitFor();
    await shown.getByLabel("Share with").fill("grace@example.com");
    await ada.page.keyboard.press("Enter");
    await shown.getByText("grace@example.com").waitFor();
    assert.deepEqual(await accessibilityFaults(ada.page, "[role=dialog]"), []);

    await other.page.reload();
    await other.page.getByText("It is mended.", { exact: true }).waitFor();
    await other.page
      .getByText(/^You can read this session\. To write to it, ask \S+@\S+ for write access\.$/)
      .waitFor();
    assert.equal(await other.page.getByRole("textbox", { name: "Message to the agent" }).count(), 0);
    await share(other.page);
    await dialog(other.page, "session").getByText("Owner", { exact: true }).waitFor();
    assert.equal(await dialog(other.page, "session").getByLabel("Share with").count(), 0);

    await shown.getByRole("combobox", { name: "Access of grace@example.com" }).click();
    await ada.page.getByRole("option", { name: "Can write to it" }).click();
    await other.page.reload();
    const message = other.page.getByRole("textbox", { name: "Message to the agent" });
    await message.fill(JSON.stringify({ steps: [{ say: "Said for Grace." }] }));
    await message.press("Enter");
    await ada.page.getByText("Said for Grace.", { exact: true }).waitFor();

    await other.page.goto(`${console.origin}/console/sessions`);
    await other.page.getByRole("button", { name: "Shared with me" }).click();
    await other.page.getByRole("link", { name: "The failing test" }).waitFor();

    await shown.getByRole("button", { name: "Stop sharing with grace@example.com" }).click();
    await shown.getByText("grace@example.com").waitFor({ state: "detached" });
    await other.page.goto(`${console.origin}/console${at}`);
    await other.page.getByText(/Ask its owner, \S+@\S+, to share it\./).waitFor();
    assert.deepEqual(ada.faults, []);
  },
);

covers(
  ["console-sharing"],
  "an agent is shared with the organization by keyboard, and is in the lists of its members",
  async () => {
    const { page } = await console.signedIn(`/agents/${agent.id}`);
    const member = await console.signedIn("/agents", { token: grace.token });
    await page.getByRole("button", { name: "More actions" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Share…" }).focus();
    await page.keyboard.press("Enter");
    const everyone = dialog(page, "agent").getByRole("combobox", {
      name: "Access of everyone in the organization",
    });
    await everyone.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: "Can use it" }).focus();
    await page.keyboard.press("Enter");
    await dialog(page, "agent").getByText("Can use it").first().waitFor();
    await member.page.getByRole("link", { name: "Reviewer" }).waitFor();
    assert.equal((await grace.ok("GET", `/agents/${agent.id}`)).visibility, "organization");
    await everyone.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: "No access" }).focus();
    await page.keyboard.press("Enter");
    await member.page.getByRole("link", { name: "Reviewer" }).waitFor({ state: "detached" });
  },
);
