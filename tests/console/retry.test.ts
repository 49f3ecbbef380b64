import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { covers } from "../acceptance/harness/covers.ts";
import { makeAgent, makeEnvironment, waitForTurn } from "../acceptance/harness/fixtures.ts";
import { startModelServer } from "../acceptance/harness/model-server.ts";
import { Console } from "./harness/console.ts";

const directory = await mkdtemp(join(tmpdir(), "berth-models-"));
const models = await startModelServer();
const file = join(directory, "models.json");
const local = { kind: "openai-compatible", base_url: models.baseUrl };
const listed = [{ id: "local/busy", context_window: 200_000 }];
await writeFile(file, JSON.stringify({ providers: { local }, models: listed }));
const console = await Console.start({ settings: { BERTH_MODELS_FILE: file } });
after(async () => {
  await models.close();
  await rm(directory, { recursive: true });
});

/** Statuses of an overload, and the seconds that the model's server asks to wait. */
const OVERLOADS = [
  { status: 529, retryAfter: 300 },
  { status: 429, retryAfter: 100 },
  { status: 503, retryAfter: 200 },
];

/** Returns the seconds that a countdown shows. */
function secondsIn(text: string): number {
  const [, minutes = "0", seconds = "0"] = /in (?:(\d+)m)? ?(?:(\d+)s)?$/.exec(text) ?? [];
  return Number(minutes) * 60 + Number(seconds);
}

covers(
  ["console-retry"],
  "an overloaded model: the page says when it is asked again and counts down, until the turn ends",
  async () => {
    const { api } = console;
    const agent = await makeAgent(api, { model: "local/busy" });
    const environment = await makeEnvironment(api);
    for (const { status, retryAfter } of OVERLOADS) {
      models.reject = () => ({ status, retryAfter, message: "Overloaded" });
      const session = await api.ok("POST", "/sessions", {
        agent: agent.id,
        environment_id: environment.id,
      });
      const { page, faults } = await console.signedIn(`/sessions/${session.id}`);
      const content = [{ type: "text", text: "Hello." }];
      const { data } = await api.ok("POST", `/sessions/${session.id}/events`, {
        events: [{ type: "user.message", content }],
      });
      const waiting = page.getByRole("status").filter({ hasText: /Retries at \d/ });
      const countdown = waiting.locator("[aria-hidden=true]", { hasText: /^in \d/ });
      const seen = async () => secondsIn((await countdown.textContent()) ?? "");
      await countdown.waitFor();
      const first = await seen();
      assert.ok(first > 0 && first <= retryAfter, `${status}: ${first}`);
      const text = (await countdown.textContent()) ?? "";
      await countdown.filter({ hasNotText: text }).waitFor();
      const second = await seen();
      assert.ok(second < first, `${status}: ${second} after ${first}`);
      await page.reload();
      await countdown.waitFor();
      assert.ok((await seen()) <= second, `${status}: the same time after it was loaded anew`);
      models.reject = () => null;
      await api.ok("POST", `/sessions/${session.id}/events`, { events: [{ type: "user.interrupt" }] });
      await waiting.waitFor({ state: "detached" });
      await waitForTurn(api, session.id, data[0].id);
      assert.deepEqual(faults, []);
      await page.close();
    }
  },
);
