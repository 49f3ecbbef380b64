// A person signs in with a link and starts a session whose commit is pushed, all in a browser.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { Berth } from "../acceptance/harness/berth.ts";
import { type GitHost, startGitHost } from "../git-host/git-host.ts";
import { newPerson, startChromium } from "./harness/chromium.ts";

const URL_OF_SESSION = /\/console\/sessions\/sess_\w+/;

let gitHost: GitHost;
let berth: Berth;
let browser: Browser;
before(async () => {
  gitHost = await startGitHost();
  await gitHost.createRepository({
    org: "acme",
    name: "widget",
    private: true,
    files: { "README.md": "# Widget\n" },
  });
  const settings = {
    BERTH_GIT_CA_FILES: JSON.stringify([{ host: gitHost.host, ca_file: gitHost.caFile }]),
    BERTH_EGRESS_ALLOW_PRIVATE: gitHost.host,
  };
  [berth, browser] = await Promise.all([Berth.start({ settings }), startChromium()]);
});
after(async () => {
  await browser.close();
  await berth.stop();
  await gitHost.stop();
});

test("from a link to a pushed commit: a rejected token is told on the page, nothing typed is lost, and the session is followed to its end", async () => {
  const api = await berth.client();
  const person = await newPerson(browser, berth.url);
  const { page, context, faults } = person;

  const { url } = await api.ok("POST", "/console_links");
  await page.goto(url);
  await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
  assert.doesNotMatch(page.url(), /code/, "the code is out of the address");

  await page.getByRole("main").getByRole("link", { name: "New session" }).click();
  const steps = [
    { say: "I will add a line." },
    {
      tool: "Bash",
      input: {
        command:
          "cd /data/widget && git checkout -q -b agent/line && echo 'A line.' >> README.md && git commit -qam 'docs: a line' && git push -q origin HEAD && echo pushed",
      },
    },
    { say: "The line is **pushed**." },
  ];
  await page.getByLabel("Task").fill(JSON.stringify({ steps }));
  await page.getByRole("button", { name: "Create “default”" }).click();
  await page.getByRole("combobox", { name: "Environment" }).waitFor();
  await page.getByRole("button", { name: "Add a repository" }).click();
  await page.getByLabel("Address").fill(`${gitHost.url}/acme/widget`);
  await page.getByLabel("Title").fill("A line for the widget");
  await page.reload();
  assert.equal(
    await page.getByLabel("Title").inputValue(),
    "A line for the widget",
    "the form outlives a reload",
  );
  await page.getByLabel("Password").fill("not a token");
  await page.getByRole("button", { name: "Start session" }).click();
  await page.getByRole("alert").filter({ hasText: "401" }).waitFor();
  assert.match(page.url(), /\/new/, "the session is not begun");

  await page.getByLabel("Password").fill(gitHost.createToken({ user: "robot", permissions: "write" }));
  await page.getByRole("button", { name: "Try with this token" }).click();
  await page.waitForURL(URL_OF_SESSION);
  await page.getByText("The line is pushed.").waitFor();
  await page.getByText("Idle", { exact: true }).first().waitFor();
  assert.ok(await gitHost.head("acme", "widget", "agent/line"), "the commit is on the server");
  assert.equal(await page.title(), "A line for the widget · Berth");

  await page
    .getByLabel("Message to the agent")
    .fill(JSON.stringify({ steps: [{ say: "You are welcome." }] }));
  await page.keyboard.press("Enter");
  await page.getByText("You are welcome.", { exact: true }).waitFor();

  await page.goto(`${berth.url}/console/`);
  await page
    .getByRole("row")
    .filter({ hasText: "A line for the widget" })
    .filter({ hasText: "acme/widget" })
    .waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("what waits for an answer is answered by keys, with a reason, and a custom tool by its form", async () => {
  const api = await berth.client();
  const environment = await api.ok("POST", "/environments", { name: "of answers" });
  const result = {
    type: "object",
    required: ["decision"],
    properties: { decision: { type: "string", enum: ["ship", "hold"] } },
  };
  const agent = await api.ok("POST", "/agents", {
    name: "Careful",
    model: "rehearsal/steps",
    tools: [
      {
        type: "agent_toolset_20260401",
        configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }],
      },
      {
        type: "custom",
        name: "ask_owner",
        description: "Asks.",
        input_schema: { type: "object", properties: {}, $defs: { result } },
      },
    ],
  });
  const steps = [
    { tool: "Bash", input: { command: "echo one" } },
    { tool: "Bash", input: { command: "echo two" } },
    { tool: "ask_owner", input: {} },
    { say: "Thanks.", expect: '{"decision":"hold"}' },
  ];
  const session = await api.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    title: "Careful work",
    initial_events: [{ type: "user.message", content: [{ type: "text", text: JSON.stringify({ steps }) }] }],
  });
  const { page, context, faults } = await newPerson(browser, berth.url);
  await page.goto((await api.ok("POST", "/console_links")).url);
  await page.getByText("1 needs an answer").waitFor();
  assert.equal(await page.title(), "(1) Sessions · Berth");
  await page.getByRole("link", { name: "Careful work" }).click();

  await page.getByText("May the agent do this?").waitFor();
  await page.keyboard.press("y");
  await page.getByRole("button", { name: /^Bash echo two/ }).waitFor();
  await page.getByText("May the agent do this?").waitFor();
  await page.keyboard.press("n");
  await page.getByLabel("Why it is denied, for the model").fill("Not twice");
  await page.keyboard.press("Enter");
  await page.getByText("Denied by a person: Not twice").waitFor();

  await page.getByRole("button", { name: "Send result" }).click();
  await page.getByText("This is needed.").waitFor();
  await page.getByRole("combobox", { name: "decision" }).click();
  await page.getByRole("option", { name: "hold" }).click();
  await page.getByRole("button", { name: "Send result" }).click();
  await page.getByText("Thanks.", { exact: true }).waitFor();
  const events = (await api.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
  const denied = events.find(
    ({ type, result }: { type: string; result: string }) =>
      type === "user.tool_confirmation" && result === "deny",
  );
  assert.equal(denied.deny_message, "Not twice");
  assert.deepEqual(faults, []);
  await context.close();
});
