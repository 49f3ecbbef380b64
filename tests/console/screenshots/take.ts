import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { AnyJson, Api } from "../../acceptance/harness/api.ts";
import { Berth } from "../../acceptance/harness/berth.ts";
import { makeAgent, makeEnvironment } from "../../acceptance/harness/fixtures.ts";
import { providerSettings } from "../../acceptance/harness/provider-settings.ts";
import { readEventsUntil } from "../../acceptance/harness/stream.ts";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import { launchBrowser, visit } from "../harness/browser.ts";
import { signIn } from "../harness/console.ts";
import { startScriptedModel } from "./scripted-model.ts";
import { FILES, MAIN_TASK, OTHERS, SCRIPT } from "./story.ts";

const IMAGES = join(import.meta.dirname, "../../../docs/images");
const SIZE = { width: 1_280, height: 800 };
const MODEL = "gpu/qwen3-coder";

/**
 * Takes the pictures of the console in docs/images, light and dark: `npm run screenshots`. The agents in them
 * do real work.
 */
const directory = await mkdtemp(join(tmpdir(), "berth-pictures-"));
const model = await startScriptedModel(SCRIPT);
const git = await startGitHost();
const modelsFile = join(directory, "models.json");
const providers = { gpu: { kind: "openai-compatible", base_url: model.url } };
await writeFile(modelsFile, JSON.stringify({ providers, models: [{ id: MODEL, context_window: 131_072 }] }));
const berth = await Berth.start({ settings: { ...providerSettings(git), BERTH_MODELS_FILE: modelsFile } });
const browser = await launchBrowser();
try {
  const api = await berth.client({ user: "ada@example.com" });
  const session = await prepare(api, git);
  await mkdir(IMAGES, { recursive: true });
  for (const theme of ["light", "dark"] as const) {
    const visited = await visit(browser, berth.url, { ...SIZE, theme, scale: 1.5 });
    const { page } = visited;
    await page.goto(`${berth.url}/console/sessions`);
    await signIn(visited, api.token ?? "");
    const take = (name: string) => page.screenshot({ path: join(IMAGES, `${name}-${theme}.png`) });
    await page.getByText("1 needs an answer").waitFor();
    await drawn(page);
    await take("sessions");
    await page.goto(`${berth.url}/console/sessions/${session.id}?panel=changes`);
    await page.getByText("May the agent do this?").waitFor();
    const files = page.getByRole("list", { name: "Files" });
    for (const name of ["src/duration.js", "test/duration.test.js"]) await files.getByText(name).click();
    await files.getByText('"reads fractions"').waitFor();
    await drawn(page);
    await take("session");
    await page.goto(`${berth.url}/console/new`);
    await page.getByLabel("Task").fill(MAIN_TASK);
    await page.getByRole("button", { name: "Add repository" }).click();
    await page.getByLabel("URL").fill("https://github.com/acme/duration");
    await page.getByLabel("Task").evaluate("(field) => field.blur()");
    await page
      .locator("main")
      .first()
      .evaluate("(main) => main.querySelector('.overflow-y-auto')?.scrollTo(0, 0)");
    await drawn(page);
    await take("new-session");
    await visited.context.close();
  }
} finally {
  await browser.close();
  await berth.stop();
  await git.stop();
  model.stop();
  await rm(directory, { recursive: true });
}

/** Runs the sessions of the story. Returns the one that waits for an answer. */
async function prepare(api: Api, host: GitHost): Promise<AnyJson> {
  await host.createRepository({ org: "acme", name: "duration", private: true, files: FILES });
  const token = host.createToken({ user: "ada", permissions: "write" });
  const agent = await makeAgent(api, {
    name: "Engineer",
    description: "Fixes what is small, with tests.",
    model: MODEL,
    system: "You fix one thing at a time, with a test that fails without your change.\nAsk before you push.",
    tools: [
      {
        type: "agent_toolset_20260401",
        configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }],
      },
    ],
  });
  const reader = await makeAgent(api, { name: "Reader", description: "Answers questions.", model: MODEL });
  const environment = await makeEnvironment(api, { name: "Node.js" });
  const start = async (title: string, task: string, agentId: string) =>
    await api.ok("POST", "/sessions", {
      agent: agentId,
      environment_id: environment.id,
      title,
      resources: [
        { type: "hosted_repository", url: `${host.url}/acme/duration`, authorization_token: token },
      ],
      initial_events: [{ type: "user.message", content: [{ type: "text", text: task }] }],
    });
  for (const { title, task } of OTHERS) await idle(api, (await start(title, task, reader.id)).id, "end_turn");
  const session = await start("Durations with fractions", MAIN_TASK, agent.id);
  const waiting = await idle(api, session.id, "requires_action");
  const test = waiting.find(({ type, name }) => type === "agent.tool_use" && name === "Bash");
  await api.ok("POST", `/sessions/${session.id}/events`, {
    events: [{ type: "user.tool_confirmation", tool_use_id: test.id, result: "allow" }],
  });
  await readEventsUntil(
    api,
    session.id,
    nth(2, (event) => endsWith(event, "requires_action")),
  );
  return session;
}

function idle(api: Api, id: string, reason: string): Promise<AnyJson[]> {
  return readEventsUntil(api, id, (event) => endsWith(event, reason));
}

function endsWith({ type, stop_reason }: AnyJson, reason: string): boolean {
  return type === "session.status_idle" && stop_reason.type === reason;
}

function nth(count: number, matches: (event: AnyJson) => boolean): (event: AnyJson) => boolean {
  let found = 0;
  return (event) => matches(event) && ++found === count;
}

/** Waits until everything that the screen loads is rendered. */
async function drawn(page: Page): Promise<void> {
  await page.waitForLoadState("load");
  await page.getByText("ada@example.com").first().waitFor();
  await page.locator("main .animate-spin").first().waitFor({ state: "detached" });
  await page.evaluate(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
  );
}
