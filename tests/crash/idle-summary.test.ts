// Tests kills of the runner around the summary of a session that waits for its user.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { makeAgent, makeEnvironment, waitForTurn } from "../acceptance/harness/fixtures.ts";
import {
  isSummaryRequest,
  type MessagesServer,
  startMessagesServer,
} from "../acceptance/harness/messages-server.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { CAN_INJECT } from "./inject-kill.ts";
import { killAtEveryWrite } from "./kill-at-every-write.ts";
import { killRunner } from "./processes.ts";

/** The lifetime of the cache. The summary is due after four fifths of it. */
const CACHE_SECONDS = 30;
const OPTIONS = { timeout: 1_200_000 };

let directory: string;
let models: MessagesServer;
let berth: Berth;
let api: Api;
let sessionFields: Record<string, string>;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "berth-models-"));
  models = await startMessagesServer(90_000);
  const file = join(directory, "models.json");
  const providers = { cached: { kind: "anthropic", base_url: models.baseUrl, cache_seconds: CACHE_SECONDS } };
  const listed = [{ id: "cached/m", context_window: 200_000 }];
  await writeFile(file, JSON.stringify({ providers, models: listed }));
  berth = await Berth.start({ settings: { BERTH_MODELS_FILE: file } });
  api = await berth.client();
  sessionFields = { environment_id: (await makeEnvironment(api)).id };
});
after(async () => {
  await berth.stop();
  await models.close();
  await rm(directory, { recursive: true });
});

const isCompacted = ({ type }: AnyJson) => type === "agent.context_compacted";
const isStart = ({ type }: AnyJson) => type === "span.model_request_start";
const isEnd = ({ type }: AnyJson) => type === "span.model_request_end";

test("killed before the summary's request: another runner makes it, once", OPTIONS, async () => {
  const session = await begunSummary(() => killRunner(berth));
  const events = await readEventsUntil(api, session, isCompacted);
  assert.equal(events.filter(isStart).length, 2);
  await check(await goOn(session), "before");
});

test(
  "killed while the model answers: the request ends without a message, and none is made anew",
  OPTIONS,
  async () => {
    const answering = Promise.withResolvers<void>();
    models.beforeSummary = () => {
      answering.resolve();
      return new Promise(() => {});
    };
    const session = await begunSummary();
    await answering.promise;
    await killRunner(berth);
    const events = await readEventsUntil(api, session, nth(isEnd, 2));
    assert.deepEqual(
      events.filter(isEnd).map(({ is_error }) => is_error),
      [false, true],
    );
    const after = await goOn(session);
    assert.ok(!after.some(isCompacted));
    assert.match(models.bodies.at(-1) ?? "", /the first task.*Fine\..*the second task/s);
    await check(after, "answering");
  },
);

test(
  "killed at any write from the model's answer on: nothing is lost, and the next message is answered",
  { ...OPTIONS, skip: !CAN_INJECT },
  (context) =>
    killAtEveryWrite(context, {
      service: () => berth,
      sampledPoints: 3,
      async run(_name, attach) {
        const answering = Promise.withResolvers<void>();
        const attached = Promise.withResolvers<void>();
        models.beforeSummary = () => {
          answering.resolve();
          return attached.promise;
        };
        const session = await begunSummary();
        await answering.promise;
        await attach();
        attached.resolve();
        await readEventsUntil(api, session, nth(isEnd, 2));
        return await goOn(session);
      },
      check,
    }),
);

/**
 * Returns a session whose summary has begun. A loaded machine may miss the time for it, and then another
 * session is tried.
 */
async function begunSummary(meanwhile = async () => {}): Promise<string> {
  const agent = await makeAgent(api, { model: "cached/m" });
  for (;;) {
    const { id } = await api.ok("POST", "/sessions", { agent: agent.id, ...sessionFields });
    await say(id, "the first task");
    await meanwhile();
    const begun = readEventsUntil(api, id, nth(isStart, 2)).then(() => true);
    begun.catch(() => {});
    if (await Promise.race([begun, pause(CACHE_SECONDS * 1_000, false)])) return id;
    await api.ok("POST", `/sessions/${id}/archive`);
  }
}

/**
 * Sends a second message, and returns the whole log. The session is archived, so that it is not summarised in
 * the next test.
 */
async function goOn(session: string): Promise<AnyJson[]> {
  models.beforeSummary = async () => {};
  const turn = await say(session, "the second task");
  const last = turn.at(-1).id;
  const events = await readEventsUntil(api, session, ({ id }) => id === last);
  await api.ok("POST", `/sessions/${session}/archive`);
  return events;
}

async function say(session: string, text: string): Promise<AnyJson[]> {
  const events = [{ type: "user.message", content: [{ type: "text", text }] }];
  const { data } = await api.ok("POST", `/sessions/${session}/events`, { events });
  return await waitForTurn(api, session, data[0].id);
}

/** Returns a function that matches the `count`th event that satisfies `holds`. */
function nth(holds: (event: AnyJson) => boolean, count: number): (event: AnyJson) => boolean {
  let held = 0;
  return (event) => holds(event) && ++held === count;
}

/**
 * Asserts that there are two answered messages, each request with its end, and one summary in the pause. The
 * second request must have the history or its summary.
 */
async function check(events: AnyJson[], name: string): Promise<void> {
  const starts = events.filter(isStart).map(({ id }) => id);
  const ends = events.filter(isEnd).map(({ model_request_start_id: id }) => id);
  assert.deepEqual(ends, starts, `${name}: one end for each request`);
  const answer = events.findIndex(({ type }) => type === "session.status_idle");
  const second = events.findIndex(({ type }, at) => type === "user.message" && at > answer);
  assert.equal(events.slice(answer, second).filter(isStart).length, 1, `${name}: one summary`);
  assert.equal(events.filter(({ type }) => type === "agent.message").length, 2, name);
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" }, name);
  const body = models.bodies.findLast((one) => !isSummaryRequest(one)) ?? "";
  const summary = events.some(isCompacted) ? "A summary.*" : "";
  assert.match(body, new RegExp(`${summary}the first task.*Fine.*the second task`, "s"), name);
}
