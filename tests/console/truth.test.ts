import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import type { AnyJson } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, steps } from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { type GitHost, startGitHost } from "../git-host/git-host.ts";
import { Console } from "./harness/console.ts";
import { drawn } from "./harness/drawn.ts";
import { Network } from "./harness/network.ts";

const git: GitHost = await startGitHost();
const console = await Console.start({ settings: providerSettings(git) });
const { api } = console;
const ASK_BASH = {
  type: "agent_toolset_20260401",
  configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }],
};
const WIDTHS = [390, 1_024, 1_440] as const;

let agent: AnyJson;
let environment: AnyJson;
before(async () => {
  await git.createRepository({
    org: "acme",
    name: "widget",
    private: true,
    files: { "a.js": "let a = 1;\n" },
  });
  agent = await makeAgent(api, { name: "Engineer" });
  environment = await makeEnvironment(api, { name: "Sandbox" });
});
after(() => git.stop());

const newSession = (title: string, more: AnyJson = {}): Promise<AnyJson> =>
  api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id, title, ...more });

const withRepository = (authorization_token: string) => ({
  resources: [{ type: "hosted_repository", url: `${git.url}/acme/widget`, authorization_token }],
});

const cloneFailed = ({ type, error }: AnyJson) =>
  type === "session.error" && error.resource_id !== undefined && error.retry_status.type !== "retrying";

/** Returns the horizontal extent of an element, in pixels. */
async function boxOf(page: Page, label: string): Promise<{ x: number; width: number }> {
  return (await page.getByLabel(label, { exact: true }).boundingBox()) ?? assert.fail(`${label} is not seen`);
}

covers(
  ["console-screens", "console-narrow"],
  "the list says how each session stands, sorts by last activity and finds by state, in one row of filters, on a phone too",
  async () => {
    const owner = await console.berth.client({ user: "lists@example.com" });
    const asking = await makeAgent(owner, { tools: [ASK_BASH] });
    const plain = await makeAgent(owner);
    const environment_id = (await makeEnvironment(owner)).id;
    const make = (title: string, agent_id: string, more: AnyJson = {}) =>
      owner.ok("POST", "/sessions", { agent: agent_id, environment_id, title, ...more });
    const fresh = await make("Never asked", plain.id);
    const broken = await make("Without its repository", plain.id, withRepository("wrong"));
    const failed = await make("A model that fails", plain.id);
    const waiting = await make("Waits", asking.id);
    const done = await make("All good", plain.id);
    await readEventsUntil(owner, broken.id, cloneFailed);
    await runTurn(owner, failed.id, { fail: "authentication" });
    await runTurn(owner, waiting.id, bash("true"));
    await runTurn(owner, done.id, { say: "Done." });
    for (const width of WIDTHS) {
      const { page, faults } = await console.signedIn("/sessions", { token: owner.token, width });
      const lines = page.getByRole("row").filter({ has: page.getByRole("link") });
      for (const [title, state] of [
        [done.title, "Done"],
        [waiting.title, "Needs an answer"],
        [failed.title, "Failed"],
        [broken.title, "Clone failed"],
        [fresh.title, "Not started"],
      ] as const)
        await lines
          .filter({ hasText: title })
          .getByText(state, { exact: true })
          .locator("visible=true")
          .waitFor();
      assert.match((await lines.first().textContent()) ?? "", /All good/, "the last activity comes first");
      const filters = await page
        .getByRole("button", { name: /^(State|Agent|Environment|Owner|Active)/ })
        .all();
      const tops = await Promise.all(filters.map(async (filter) => (await filter.boundingBox())?.y));
      assert.deepEqual([filters.length, new Set(tops).size], [5, 1], "the filters take one row");
      await page.getByRole("link", { name: "New session" }).locator("visible=true").first().waitFor();
      await page.getByRole("button", { name: "State" }).click();
      await page.getByRole("menuitemcheckbox", { name: "Clone failed" }).click();
      await page.keyboard.press("Escape");
      await lines.filter({ hasText: done.title }).waitFor({ state: "detached" });
      // The table is empty while the filtered list is loading.
      await lines.filter({ hasText: broken.title }).waitFor();
      assert.equal(await lines.count(), 1);
      assert.match(page.url(), /state=repository_failed/);
      assert.deepEqual(faults, []);
    }
  },
);

covers(
  ["console-main-job"],
  "opened while a tool runs: what was said stands there once, and below it that the agent works",
  async () => {
    const session = await newSession("Long run");
    const long = { tool: "Bash", input: { command: "sleep 600", timeout: 600_000 } };
    await api.ok("POST", `/sessions/${session.id}/events`, {
      events: [steps({ say: "I run the tests now." }, long)],
    });
    await readEventsUntil(api, session.id, ({ type }) => type === "session.container_started");
    for (const width of WIDTHS) {
      const { page } = await console.signedIn(`/sessions/${session.id}`, { width });
      await page.getByRole("status").filter({ hasText: "Working" }).waitFor();
      await drawn(page);
      assert.equal(await page.getByText("I run the tests now.", { exact: true }).count(), 1);
      await page.getByRole("status").filter({ hasText: "Working" }).waitFor();
    }
  },
);

covers(
  ["console-main-job"],
  "Enter twice at once, and again while the message is on its way: it is sent once",
  async () => {
    const session = await newSession("Twice");
    const { page } = await console.signedIn(`/sessions/${session.id}`);
    const field = page.getByRole("textbox", { name: "Message to the agent" });
    const held = Promise.withResolvers<void>();
    let posts = 0;
    await page.route(/\/events$/, async (route) => {
      if (route.request().method() === "POST") {
        posts += 1;
        await held.promise;
      }
      await route.continue();
    });
    await field.fill(JSON.stringify({ steps: [{ say: "Once." }] }));
    await field.evaluate(`(field) => {
      const enter = () => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
      enter();
      enter();
    }`);
    await field.press("Enter");
    await field.press("Enter");
    held.resolve();
    await page.getByText("Once.", { exact: true }).waitFor();
    await page.locator("textarea:placeholder-shown").waitFor();
    assert.equal(posts, 1);
    const { data } = await api.ok("GET", `/sessions/${session.id}/events?types[]=user.message`);
    assert.equal(data.length, 1);
    await field.fill(JSON.stringify({ steps: [{ say: "And again." }] }));
    await field.press("Enter");
    await page.getByText("And again.", { exact: true }).waitFor();
    assert.equal(posts, 2, "the next one is sent");
  },
);

covers(
  ["console-screens"],
  "new session: has the agent and environment used last, sends its task once, and a file keeps its name",
  async () => {
    const owner = await console.berth.client({ user: "new@example.com" });
    const used = await makeAgent(owner, { name: "Used last" });
    const kept = await makeEnvironment(owner, { name: "Used too" });
    await owner.ok("POST", "/sessions", { agent: used.id, environment_id: kept.id });
    await makeAgent(owner, { name: "Newer" });
    await makeEnvironment(owner, { name: "Newer still" });
    const { page, faults } = await console.signedIn("/new", { token: owner.token });
    await page.getByRole("combobox", { name: "Agent" }).filter({ hasText: "Used last" }).waitFor();
    await page.getByRole("combobox", { name: "Environment" }).filter({ hasText: "Used too" }).waitFor();
    const task = JSON.stringify({ steps: [bash("cat /mnt/session/uploads/*/sales_2026.csv")] });
    await page.getByLabel("Task").fill(task);
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose files" }).click();
    const file = { name: "sales 2026.csv", mimeType: "text/csv", buffer: Buffer.from("day,sum\n1,42\n") };
    await (await choosing).setFiles(file);
    await page.getByText("sales 2026.csv").waitFor();
    await page.getByRole("button", { name: "Start session" }).dblclick();
    await page.getByText("1,42").waitFor();
    const { data } = await owner.ok("GET", "/sessions");
    assert.equal(data.length, 2, "one session was made");
    assert.equal(data[0].agent.id, used.id);
    const log = await owner.ok("GET", `/sessions/${data[0].id}/events?types[]=user.message`);
    assert.equal(log.data.length, 1, "the task was sent once");
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-screens", "console-faults"],
  "a clone that failed is seen above the transcript until it is mended, at each width",
  async () => {
    const session = await newSession("Needs its repository", withRepository("wrong"));
    await readEventsUntil(api, session.id, cloneFailed);
    await runTurn(api, session.id, ...Array.from({ length: 30 }, (_, n) => ({ say: `Line ${n} of many.` })));
    const [repository] = (await api.ok("GET", `/sessions/${session.id}`)).resources;
    for (const width of WIDTHS) {
      const { page } = await console.signedIn(`/sessions/${session.id}`, { width, height: 700 });
      const alert = page.getByRole("alert").filter({ hasText: "could not be cloned" });
      await alert.waitFor();
      const box = (await alert.boundingBox()) ?? assert.fail();
      assert.ok(box.y >= 0 && box.y + box.height <= 700, "it is within the window");
      await alert.getByRole("button", { name: "Try again" }).waitFor();
    }
    const { page } = await console.signedIn(`/sessions/${session.id}`);
    const alert = page.getByRole("alert").filter({ hasText: "could not be cloned" });
    await alert.waitFor();
    await api.ok("POST", `/sessions/${session.id}/resources/${repository.id}`, {
      authorization_token: git.createToken({ user: "ada", permissions: "write" }),
    });
    await alert.waitFor({ state: "detached" });
    await page.getByText(/ready at/).waitFor();
    await page.getByText("Clone failed", { exact: true }).waitFor({ state: "detached" });
  },
);

covers(
  ["console-together", "console-faults"],
  "one outage is told once, and the log goes on when it is over",
  async () => {
    const network = await Network.start(console.origin);
    try {
      const session = await newSession("Cut off");
      const { page } = await console.signedIn(`/sessions/${session.id}`, { origin: network.url });
      await page.getByRole("textbox", { name: "Message to the agent" }).waitFor();
      // If a part were missing, the page would be reloaded.
      const parts = ["palette", "shortcut-sheet", "sign-in-overlay", "panels"];
      await page.waitForFunction(
        "(parts) => parts.every((part) => performance.getEntriesByType('resource').some(({ name }) => name.includes(part)))",
        parts,
      );
      network.cut();
      const banners = page.getByRole("status").filter({ hasText: /cannot be reached|connection/ });
      await banners.filter({ hasText: "cannot be reached" }).waitFor();
      await drawn(page);
      assert.equal(await banners.count(), 1);
      await runTurn(api, session.id, { say: "Meanwhile." });
      assert.equal(await banners.count(), 1);
      network.mend();
      await page.getByText("Meanwhile.", { exact: true }).waitFor();
      await banners.first().waitFor({ state: "detached" });
    } finally {
      await network.stop();
    }
  },
);

covers(
  ["console-screens", "console-narrow"],
  "many calls are one line, the panel opens on what there is, its tabs are whole, and the transcript stays readable beside it",
  async () => {
    const token = git.createToken({ user: "ada", permissions: "write" });
    const session = await newSession("Many calls", withRepository(token));
    const calls = Array.from({ length: 40 }, (_, n) => bash(`echo call ${n}`));
    const edit = { file_path: "/data/widget/a.js", old_string: "1", new_string: "2" };
    await runTurn(
      api,
      session.id,
      { say: "I begin." },
      ...calls,
      { tool: "Edit", input: edit },
      { say: "Ready." },
    );
    for (const width of [1_024, 1_440]) {
      const { page, faults } = await console.signedIn(`/sessions/${session.id}`, { width });
      await page.getByText("Ready.", { exact: true }).waitFor();
      if (width === 1_024) await page.getByRole("button", { name: "Panel" }).click();
      await page.getByRole("tab", { name: "Changes", selected: true }).waitFor();
      await page.getByText("a.js", { exact: true }).waitFor();
      const transcript = await boxOf(page, "Transcript");
      assert.ok(transcript.width >= 420, `the transcript has ${transcript.width} px at ${width}`);
      const panel = await boxOf(page, "Session panel");
      for (const tab of await page.getByRole("tab").all()) {
        const { x, width: tabWidth } = (await tab.boundingBox()) ?? assert.fail();
        assert.ok(
          x >= panel.x && x + tabWidth <= panel.x + panel.width,
          `${await tab.textContent()} at ${width}`,
        );
      }
      const group = page.getByRole("button", { name: /41 calls/ });
      await group.waitFor();
      assert.equal(await page.getByText("echo call 7", { exact: true }).count(), 0);
      await group.click();
      await page.getByText("echo call 0", { exact: true }).waitFor();
      await page.getByRole("button", { name: /41 calls/ }).click();
      await page.getByText("echo call 0", { exact: true }).waitFor({ state: "detached" });
      // The search finds text in folded calls, too.
      await page.keyboard.press("/");
      await page.keyboard.type("call 23");
      // The first match is in the message.
      await page.keyboard.press("Enter");
      await page.getByText("echo call 23", { exact: true }).waitFor();
      assert.deepEqual(faults, []);
    }
    const nothing = await newSession("Nothing yet");
    const { page } = await console.signedIn(`/sessions/${nothing.id}`, { width: 1_440 });
    await page.getByRole("tab", { name: "Details", selected: true }).waitFor();
  },
);

covers(
  ["console-answers"],
  "an answered call waits no more: past tense below it, and how long it waited and ran",
  async () => {
    const asking = await makeAgent(api, { tools: [ASK_BASH] });
    const session = await newSession("Asks", { agent: asking.id });
    await runTurn(api, session.id, bash("sleep 1; echo ran"));
    const { page } = await console.signedIn(`/sessions/${session.id}`);
    await page.getByText("Waits for an answer", { exact: true }).waitFor();
    await page.waitForFunction(
      "(at) => Date.now() > at + 1500",
      Date.parse((await api.ok("GET", `/sessions/${session.id}`)).last_turn.ended_at),
    );
    await page.keyboard.press("y");
    await page.getByText("ran", { exact: true }).waitFor();
    await page.getByText("Waited for an answer", { exact: true }).waitFor();
    assert.equal(await page.getByText("Waits for an answer", { exact: true }).count(), 0);
    await page.getByText(/^waited \d/).waitFor();
  },
);

covers(
  ["console-screens", "console-narrow"],
  "a turn that reached its limit is continued, and a session that is set aside is released, above the transcript",
  async () => {
    const limited = await makeAgent(api, { max_model_requests: 1 });
    const session = await newSession("Stopped", { agent: limited.id });
    await runTurn(api, session.id, bash("echo first"), bash("echo second"));
    for (const width of WIDTHS) {
      const { page, faults } = await console.signedIn(`/sessions/${session.id}`, { width });
      const note = page.getByRole("alert").filter({ hasText: "limit of requests" });
      await note.waitFor();
      assert.deepEqual(faults, []);
      if (width !== 1_440) continue;
      await note.getByRole("button", { name: "Continue" }).click();
      await page.getByText("Continue.", { exact: true }).waitFor();
      await note.waitFor({ state: "detached" });
    }
    const { page } = await console.signedIn(`/sessions/${session.id}`);
    // Only crashes set a session aside, which tests/crash covers. Here the response says so until the session
    // is released.
    let isReleased = false;
    await page.route(`**/sessions/${session.id}/release`, async (route) => {
      const response = await route.fetch();
      isReleased = true;
      await route.fulfill({ response });
    });
    await page.route(`**/cloud/sessions/${session.id}`, async (route) => {
      const response = await route.fetch();
      const set_aside = isReleased ? null : { since: new Date().toISOString(), reason: "runner_crashed" };
      await route.fulfill({ response, json: { ...(await response.json()), set_aside } });
    });
    await page.reload();
    const note = page.getByRole("alert").filter({ hasText: "Set aside since" });
    const released = page.waitForResponse((response) =>
      response.url().endsWith(`/sessions/${session.id}/release`),
    );
    await Promise.all([released, note.getByRole("button", { name: "Release" }).click()]);
    assert.equal((await released).status(), 200);
    await note.waitFor({ state: "detached" });
  },
);
