import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { type AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn } from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { visit } from "./harness/browser.ts";
import { Console } from "./harness/console.ts";
import { Network } from "./harness/network.ts";

const console = await Console.start();
const { api } = console;
const ASK_BASH = {
  type: "agent_toolset_20260401",
  configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }],
};

let agent: AnyJson;
let environment: AnyJson;
before(async () => {
  agent = await makeAgent(api, { tools: [ASK_BASH] });
  environment = await makeEnvironment(api);
});

const newSession = (title: string, agentId = agent.id): Promise<AnyJson> =>
  api.ok("POST", "/sessions", { agent: agentId, environment_id: environment.id, title });

async function send(page: Page, ...steps: AnyJson[]): Promise<void> {
  const message = page.getByRole("textbox", { name: "Message to the agent" });
  await message.fill(JSON.stringify({ steps }));
  await message.press("Enter");
  await page.locator("textarea:placeholder-shown").waitFor();
}

/** A window that is high enough to render all rows of a transcript. */
const HIGH = { height: 4_000 };

/** Returns the matching texts of a transcript's rows, in order. */
const words = async (page: Page, pattern: RegExp): Promise<string[]> =>
  (await page.getByRole("region", { name: "Transcript" }).allInnerTexts()).join("\n").match(pattern) ?? [];

covers(
  ["console-together"],
  "two people in one session: each sees at once what the other writes, allows and renames, and an answer counts once",
  async () => {
    const session = await newSession("Shared");
    const colleague = await console.berth.client();
    const [ada, bob] = await Promise.all([
      console.signedIn(`/sessions/${session.id}`),
      console.signedIn(`/sessions/${session.id}`, { token: colleague.token }),
    ]);
    await send(ada.page, { say: "First." }, bash("echo from the $((40 + 2))nd"), { say: "Second." });
    for (const { page } of [ada, bob]) {
      await page.getByText("First.", { exact: true }).waitFor();
      await page.getByText("May the agent do this?").waitFor();
      assert.match(await page.title(), /^\(1\) Shared/);
    }
    await bob.page.keyboard.press("y");
    for (const { page } of [ada, bob]) {
      await page.getByText("from the 42nd").waitFor();
      await page.getByText("Second.", { exact: true }).waitFor();
      await page.getByText("May the agent do this?").waitFor({ state: "detached" });
    }
    await send(bob.page, bash("echo two"), bash("echo three"));
    await ada.page.getByText("May the agent do this?").waitFor();
    await ada.page.keyboard.press("Escape");
    await ada.page.keyboard.press("n");
    await ada.page.getByLabel("Reason for the denial, for the model").fill("not today");
    await ada.page.keyboard.press("Enter");
    await bob.page.getByText(/^Denied by .*: not today/).waitFor();
    await bob.page.getByText("May the agent do this?").waitFor();
    await bob.page.keyboard.press("Escape");
    await Promise.all([ada.page.keyboard.press("y"), bob.page.keyboard.press("y")]);
    await ada.page.getByText("three", { exact: true }).waitFor();
    const log: AnyJson[] = (await api.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
    assert.equal(log.filter(({ type }) => type === "user.tool_confirmation").length, 3);
    await bob.page.getByRole("button", { name: "Shared" }).click();
    await bob.page.getByRole("textbox", { name: "Title" }).fill("Ours");
    await bob.page.keyboard.press("Enter");
    await ada.page.getByRole("heading", { name: "Ours" }).waitFor();
    assert.deepEqual([...ada.faults, ...bob.faults], []);
  },
);

covers(
  ["console-mends"],
  "the connection is cut in the middle of a turn: it is said, mended by itself, and no event is lost or doubled",
  async () => {
    const network = await Network.start(console.origin);
    after(() => network.stop());
    const session = await newSession("Cut", (await makeAgent(api)).id);
    const { page } = await console.signedIn(`/sessions/${session.id}`, { ...HIGH, origin: network.url });
    await send(page, { say: "Event 1." }, bash("cat /tmp/go 2>/dev/null; mkfifo /tmp/go && cat /tmp/go"), {
      say: "Event 4.",
    });
    await page.getByText("Event 1.", { exact: true }).waitFor();
    await readEventsUntil(api, session.id, ({ type }) => type === "agent.tool_use");
    network.cut();
    await page.getByText("The service cannot be reached.").waitFor();
    for (const number of [2, 3])
      await api.ok("POST", `/sessions/${session.id}/events`, note(`Event ${number}.`));
    network.mend();
    await page.getByText("Event 3.").waitFor();
    await page.getByText("The service cannot be reached.").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Interrupt" }).click();
    await page.getByText("Interrupted").first().waitFor();
    await runTurn(api, session.id, { say: "Event 4." });
    await page.getByText("Event 4.", { exact: true }).waitFor();
    assert.deepEqual(await words(page, /^Event \d\.$/gm), ["Event 1.", "Event 2.", "Event 3.", "Event 4."]);
  },
);

const note = (text: string) => ({ events: [{ type: "user.message", content: [{ type: "text", text }] }] });

covers(
  ["console-mends"],
  "the service is killed and starts again in the middle of a turn: the page goes on, signed in, and shows each event once",
  async () => {
    const first = await Berth.start();
    const network = await Network.start(first.url);
    const owner = await first.client();
    const made = await makeAgent(owner);
    const where = await makeEnvironment(owner);
    const session = await owner.ok("POST", "/sessions", {
      agent: made.id,
      environment_id: where.id,
      title: "Restarted",
    });
    const { page, faults } = await console.signedIn(`/sessions/${session.id}`, {
      ...HIGH,
      origin: network.url,
      token: owner.token,
    });
    const numbers = Array.from({ length: 8 }, (_, index) => index + 1);
    await send(
      page,
      ...numbers.flatMap((number) => [
        { say: `Event ${number}.` },
        bash(`echo output $((${number} * 11)); sleep 0.3`),
      ]),
    );
    await page.getByText("Event 3.", { exact: true }).waitFor();
    await first.kill("SIGKILL");
    const second = await Berth.start({ dataDir: first.dataDir });
    after(async () => {
      await network.stop();
      await second.stop();
    });
    network.leadTo(second.url);
    const again = new Api(second.url, owner.token);
    await readEventsUntil(again, session.id, ({ type }) => type === "session.status_idle");
    await page.getByText("Event 8.", { exact: true }).waitFor();
    await page.getByRole("region", { name: "Transcript" }).getByText("Done", { exact: true }).waitFor();
    assert.deepEqual(
      await words(page, /^Event \d\.$/gm),
      numbers.map((number) => `Event ${number}.`),
    );
    assert.deepEqual(faults, []);
  },
);

/** A button of narrow screens, which is visible here only without styles. */
const ONLY_WITHOUT_STYLES = "button[aria-label=Menu]";

covers(
  ["console-mends"],
  "parts of the page that do not arrive are loaded anew; while one never comes the page says so, and its link loads it again",
  async () => {
    const { page } = await visit(console.browser, console.origin);
    let missing = new Map<RegExp, number>();
    await page.route("**/console/assets/**", (route) => {
      for (const [name, times] of missing) {
        if (!name.test(route.request().url())) continue;
        missing.set(name, times - 1);
        if (times > 0) return route.abort("connectionreset");
      }
      return route.continue();
    });
    for (const parts of [
      [/index.*js/],
      [/button.*js/],
      [/index.*css/],
      [/sign-in-overlay.*js/],
      [/index.*js/, /client.*js/],
    ]) {
      missing = new Map(parts.map((part) => [part, 1]));
      await page.goto(`${console.origin}/console/sessions`);
      await page.getByLabel("Token", { exact: true }).waitFor();
      await page.locator(ONLY_WITHOUT_STYLES).waitFor({ state: "hidden" });
      const notAsked = [...missing.values()].filter((times) => times > 0);
      assert.deepEqual(notAsked, [], "each of them was missing");
    }
    const words = page.getByText("The console has not loaded yet.");
    assert.equal(await words.count(), 0);

    missing = new Map([[/index.*js/, Number.POSITIVE_INFINITY]]);
    await page.goto(`${console.origin}/console/sessions`);
    await page.waitForFunction(() => sessionStorage.getItem("berth.start.tries") === "4");
    await words.waitFor();
    missing.clear();
    await page.getByRole("link", { name: "Load it again" }).click();
    await page.getByLabel("Token", { exact: true }).waitFor();
  },
);
