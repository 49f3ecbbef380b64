import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import type { AnyJson } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeAgent, makeEnvironment, steps } from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { startGitHost } from "../git-host/git-host.ts";
import { startBearerProxy, startEverything } from "../mcp-host/mcp-host.ts";
import { visit } from "./harness/browser.ts";
import { Console } from "./harness/console.ts";

const MCP_TOKEN = "canary-token-of-the-vault";
const TOOLS = [
  { type: "agent_toolset_20260401", configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }] },
  {
    type: "mcp_toolset",
    mcp_server_name: "tracker",
    default_config: { permission_policy: { type: "always_allow" } },
  },
];
const SOURCE = 'export function greet(name) {\n  return "Hello " + name;\n}\n';

const git = await startGitHost();
const everything = await startEverything();
const mcp = await startBearerProxy(everything.port, MCP_TOKEN);
after(async () => {
  mcp.stop();
  await everything.stop();
  await git.stop();
});
const settings = providerSettings(git);
settings.BERTH_EGRESS_ALLOW_PRIVATE += `,${new URL(mcp.url).host}`;
const console = await Console.start({ settings });

before(async () => {
  await git.createRepository({ org: "acme", name: "greeter", private: true, files: { "greet.js": SOURCE } });
  const { api } = console;
  await makeEnvironment(api, {
    name: "acme",
    config: { type: "cloud", networking: { type: "limited", allow_mcp_servers: true } },
  });
  await makeAgent(api, {
    name: "Engineer",
    mcp_servers: [{ type: "url", name: "tracker", url: mcp.url }],
    tools: TOOLS,
  });
  const vault = await api.ok("POST", "/vaults", { display_name: "Keys of the tracker" });
  await api.ok("POST", `/vaults/${vault.id}/credentials`, {
    auth: { type: "static_bearer", mcp_server_url: mcp.url, token: MCP_TOKEN },
  });
});

const PUSH = [
  "cd greeter",
  "git checkout -qb polite",
  "git commit -qam 'Greet politely'",
  "git push -q origin polite",
  "git log -1 --format='%s is pushed'",
].join(" && ");
const TASK = JSON.stringify({
  steps: [
    { tool: "mcp__tracker__echo", input: { message: "greetings are impolite" } },
    { tool: "Read", input: { file_path: "/data/greeter/greet.js" } },
    {
      tool: "Edit",
      input: {
        file_path: "/data/greeter/greet.js",
        old_string: '"Hello " + name',
        new_string: '"Good day, " + name',
      },
    },
    bash(PUSH),
    { say: "The branch **polite** is pushed." },
  ],
});

covers(
  ["console-main-job", "console-link", "console-own-origin"],
  "from a link, by way of a private repository, an edit and a confirmation, to a pushed commit",
  async () => {
    const visited = await visit(console.browser, console.origin);
    const { page } = visited;
    const { url } = await console.api.ok("POST", "/console_links");
    await page.goto(url);
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    await page.getByRole("link", { name: "New session" }).first().click();
    await describeSession(page);

    await page.getByRole("button", { name: "Start session" }).click();
    await page.getByText("the token is missing, wrong, expired or revoked").waitFor();
    assert.match(page.url(), /\/console\/new/, "a rejected token is told before the session starts");
    const token = git.createToken({ user: "robot", permissions: "write" });
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Try with this token" }).click();
    await page.waitForURL(/\/console\/sessions\/sess/);

    const transcript = page.getByRole("region", { name: "Transcript" });
    await transcript.getByText("May the agent do this?").waitFor();
    assert.match(await page.title(), /^\(1\) Greet politely · Berth$/);
    await transcript.getByText("Echo: greetings are impolite").waitFor();
    assert.equal(await git.head("acme", "greeter", "polite"), null, "nothing runs before it is allowed");
    await page.keyboard.press("y");
    await transcript.getByText("Greet politely is pushed").waitFor();
    await transcript.getByText("polite", { exact: true }).and(page.locator("strong")).waitFor();
    await transcript.getByText("Good day").first().waitFor();

    await page.getByRole("tab", { name: "Changes" }).click();
    const commits = page.getByRole("list", { name: "Commits" });
    await commits.getByText("Greet politely", { exact: true }).waitFor();
    await commits.getByText("pushed", { exact: true }).waitFor();
    await page.getByRole("list", { name: "Files" }).getByText("greet.js").waitFor();

    const [commit] = await git.log("acme", "greeter", "polite");
    assert.equal(commit?.subject, "Greet politely");
    assert.ok(!(await page.content()).includes(token));
    assert.deepEqual(visited.faults, []);
  },
);

/** Fills in the form, with a token that the repository's host does not know. */
async function describeSession(page: Page): Promise<void> {
  await page.getByLabel("Task").fill(TASK);
  await page.getByRole("button", { name: "Add repository" }).click();
  await page.getByLabel("URL").fill(`${git.url}/acme/greeter`);
  await page.getByLabel("Type", { exact: true }).click();
  await page.getByRole("option", { name: /At a git provider/ }).click();
  await page.getByLabel("Token").fill("ght_of_nobody");
  await page.getByLabel("Title").fill("Greet politely");
  await page.getByRole("button", { name: "Add a vault" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Keys of the tracker" }).click();
  await page.keyboard.press("Escape");
}

covers(
  ["console-answers"],
  "what waits for an answer is counted, and answered by keys and from the message with a reason, and by the form of a tool's result",
  async () => {
    const { api } = console;
    const result = {
      type: "object",
      required: ["decision"],
      properties: { decision: { type: "string", enum: ["ship", "hold"] } },
    };
    const agent = await makeAgent(api, {
      tools: [
        TOOLS[0],
        {
          type: "custom",
          name: "ask_owner",
          description: "Asks the owner.",
          input_schema: { type: "object", properties: {}, $defs: { result } },
        },
        { type: "custom", name: "look_up", description: "Looks it up.", input_schema: { type: "object" } },
      ],
    });
    const session = await api.ok("POST", "/sessions", {
      agent: agent.id,
      environment_id: (await makeEnvironment(api)).id,
      title: "Careful work",
      initial_events: [
        steps(
          bash("echo one"),
          bash("echo two"),
          bash("echo three"),
          { tool: "ask_owner" },
          { tool: "look_up", expect: '{"decision":"hold"}' },
          { say: "Thanks.", expect: '{"found": 7}' },
        ),
      ],
    });
    const { page, faults } = await console.signedIn("/sessions");
    await page.getByText("1 needs an answer").waitFor();
    assert.equal(await page.title(), "(1) Sessions · Berth");
    await page.getByRole("link", { name: "Careful work" }).click();

    await page.getByText("May the agent do this?").waitFor();
    const message = page.getByLabel("Message to the agent");
    await message.pressSequentially("y");
    await page.getByText("allows the waiting call").waitFor();
    await message.press("Enter");
    await page.getByRole("button", { name: /^Bash echo two/ }).waitFor();
    assert.equal(await message.inputValue(), "");
    await page.keyboard.press("Escape");
    await page.getByText("May the agent do this?").waitFor();
    await page.keyboard.press("n");
    await page.getByLabel("Reason for the denial, for the model").fill("Not twice");
    await page.keyboard.press("Enter");
    await page.getByText("Denied by you: Not twice").waitFor();

    await page.getByRole("button", { name: /^Bash echo three/ }).waitFor();
    await message.fill("n");
    await page.getByText("denies the waiting call, with a reason").waitFor();
    await message.press("Enter");
    const reason = page.getByLabel("Reason for the denial, for the model");
    await reason.and(page.locator(":focus")).waitFor();
    assert.equal(await message.inputValue(), "");
    await page.keyboard.type("Nor thrice");
    await page.keyboard.press("Enter");
    await page.getByText("Denied by you: Nor thrice").waitFor();

    await page.getByRole("button", { name: "Send result" }).click();
    await page.getByText("This is required.").waitFor();
    await page.getByRole("combobox", { name: "decision" }).click();
    await page.getByRole("option", { name: "hold" }).click();
    await page.goto(`${console.origin}/console/agents/${agent.id}`);
    await page
      .getByRole("link", { name: /Careful work/ })
      .filter({ hasText: "Needs an answer" })
      .click();
    await page.getByRole("combobox", { name: "decision" }).filter({ hasText: "hold" }).waitFor();
    await page.getByRole("button", { name: "Send result" }).click();
    await page.getByRole("button", { name: "JSON", exact: true }).click();
    await page.getByLabel("Result", { exact: true }).fill('{"found": 7');
    await page.getByRole("button", { name: "Send result" }).click();
    await page.getByText("This is not JSON.").waitFor();
    await page.getByLabel("Result", { exact: true }).fill('{"found": 7}');
    await page.getByRole("button", { name: "Send result" }).click();
    await page.getByText("Thanks.", { exact: true }).waitFor();
    const { data } = await api.ok("GET", `/sessions/${session.id}/events?limit=100`);
    const reasons = data.map(({ deny_message }: AnyJson) => deny_message ?? null).filter(Boolean);
    assert.deepEqual(reasons, ["Not twice", "Nor thrice"]);
    const messages = data.filter(({ type }: AnyJson) => type === "user.message");
    assert.equal(messages.length, 1, "y and n were answers");
    assert.deepEqual(faults, []);
  },
);
