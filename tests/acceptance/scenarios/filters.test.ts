import assert from "node:assert/strict";
import { type AnyJson, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, makeSession, runTurn, steps } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

const { api, berth } = await sharedService();

/** Returns all ids of a list, read in pages. */
async function walk(path: string, query: string): Promise<string[]> {
  const ids: string[] = [];
  let page = "";
  for (let pages = 0; pages < 100; pages++) {
    const part = await api.ok("GET", `${path}?limit=2&${query}${page}`);
    ids.push(...part.data.map(({ id }: AnyJson) => id));
    if (part.next_page === null) return ids;
    page = `&page=${encodeURIComponent(part.next_page)}`;
  }
  throw new Error(`${path} has more than 100 pages`);
}

covers(["event-filters"], "list events: filters by type and time in both orders, across pages", async () => {
  const session = await makeSession(api);
  await runTurn(api, session.id, { say: "one" }, bash("true"), { say: "two" }, bash("true"), {
    say: "three",
  });
  const path = `/sessions/${session.id}/events`;
  const all: AnyJson[] = (await api.ok("GET", `${path}?limit=100`)).data;
  const kinds = ["agent.message", "agent.tool_use"];
  const types = kinds.map((kind) => `types[]=${kind}`).join("&");
  const middle: string = all[Math.floor(all.length / 2)]?.created_at;
  for (const [query, matches] of [
    [types, ({ type }) => kinds.includes(type)],
    [`created_at[gte]=${middle}`, ({ created_at: at }) => at >= middle],
    [`created_at[gt]=${middle}`, ({ created_at: at }) => at > middle],
    [`${types}&created_at[lt]=${middle}`, ({ type, created_at: at }) => kinds.includes(type) && at < middle],
    [`created_at[lte]=${middle}`, ({ created_at: at }) => at <= middle],
  ] as [string, (event: AnyJson) => boolean][]) {
    const expected = all.filter(matches).map(({ id }) => id);
    assert.deepEqual(await walk(path, query), expected, query);
    assert.deepEqual(await walk(path, `${query}&order=desc`), expected.toReversed(), query);
  }
  const { next_page: cursor } = await api.ok("GET", `${path}?limit=2&${types}`);
  for (const other of ["", "&types[]=agent.message", `&${types}&order=desc`]) {
    assertError(
      await api.get(`${path}?limit=2&page=${encodeURIComponent(cursor)}${other}`),
      400,
      "invalid_request_error",
      {
        param: "page",
      },
    );
  }
});

covers(
  ["session-filters"],
  "list sessions: filters by agent, environment, status and time, across pages",
  async () => {
    const [one, other] = [await makeAgent(api), await makeAgent(api)];
    const environment = await makeEnvironment(api);
    const made: AnyJson[] = [];
    for (const agent of [one, other, one, one, other]) {
      made.unshift(await makeSession(api, { agent: agent.id, environment_id: environment.id }));
    }
    const path = "/sessions";
    const idsOf = (matches: (session: AnyJson) => boolean) => made.filter(matches).map(({ id }) => id);
    const at: string = made[2]?.created_at;
    await api.ok("POST", `${path}/${made[0]?.id}/terminate`, {});
    const env = `environment_id=${environment.id}`;
    assert.deepEqual(
      await walk(path, env),
      idsOf(() => true),
    );
    assert.deepEqual(
      await walk(path, `agent_id=${one.id}`),
      idsOf(({ agent }) => agent.id === one.id),
    );
    assert.deepEqual(
      await walk(path, `${env}&agent_id=${other.id}&statuses[]=idle`),
      idsOf(({ id, agent }) => agent.id === other.id && id !== made[0]?.id),
    );
    assert.deepEqual(await walk(path, `${env}&statuses[]=terminated`), [made[0]?.id]);
    assert.deepEqual(
      await walk(path, `${env}&created_at[gte]=${at}`),
      idsOf(({ created_at: created }) => created >= at),
    );
    assert.deepEqual(
      await walk(path, `${env}&created_at[lt]=${at}`),
      idsOf(({ created_at: created }) => created < at),
    );
    assertError(await api.get(`${path}?statuses[]=asleep`), 400, "invalid_request_error", {
      param: "statuses[0]",
    });
  },
);

covers(
  ["session-filters-console"],
  "list sessions: filters by owner, title and calls that wait for a client",
  async () => {
    const other = await berth.client({ user: "other@example.com" });
    const admin = await berth.client({ user: "admin@example.com", role: "admin" });
    const environment = (await makeEnvironment(api)).id;
    const make = (title: string) => makeSession(api, { environment_id: environment, title });
    const [first, second, third] = [
      await make("Fix the größe of 100%_done"),
      await make("fix it"),
      await make("Write"),
    ];
    const foreign = await makeSession(other, { title: "Fix another" });
    const query = (text: string) => walk("/sessions", `environment_id=${environment}&${text}`);
    const titled = (part: string) => query(`title=${encodeURIComponent(part)}`);
    assert.deepEqual(await titled("FIX"), [second.id, first.id]);
    assert.deepEqual(await titled("GRÖßE"), [first.id]);
    assert.deepEqual(await titled("of 100%_DONE"), [first.id]);
    assert.deepEqual(await titled("%_"), [first.id], "no character is a wildcard");
    assert.deepEqual(await titled("nowhere"), []);
    for (const [path, param] of [
      ["/sessions?title=", "title"],
      [`/sessions?title=${"x".repeat(201)}`, "title"],
      ["/sessions?owner_id=somebody", "owner_id"],
      ["/sessions?requires_action=maybe", "requires_action"],
    ] as const)
      assertError(await api.get(path), 400, "invalid_request_error", { param });

    const own = `owner_id=${first.owner_id}`;
    assert.deepEqual(await query(own), [third.id, second.id, first.id]);
    assert.deepEqual(await query(`${own}&title=write`), [third.id]);
    assert.deepEqual(await walk("/sessions", `owner_id=${foreign.owner_id}`), [], "of somebody else");
    const seen = (await admin.ok("GET", `/sessions?owner_id=${foreign.owner_id}`)).data;
    assert.deepEqual(
      seen.map(({ id }: AnyJson) => id),
      [foreign.id],
    );

    const asking = await makeAgent(api, {
      tools: [
        {
          type: "agent_toolset_20260401",
          configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }],
        },
      ],
    });
    const waiting = await api.ok("POST", "/sessions", {
      ...{ agent: asking.id, environment_id: environment, title: "Ask first" },
    });
    assert.deepEqual(await query("requires_action=true"), []);
    const turn = await runTurn(api, waiting.id, bash("true"), { say: "Done." });
    assert.equal(turn.at(-1)?.stop_reason.type, "requires_action");
    assert.deepEqual(await query("requires_action=true"), [waiting.id]);
    assert.deepEqual(await query(`requires_action=true&${own}&title=ask&statuses[]=idle`), [waiting.id]);
    assert.deepEqual(await query("requires_action=true&title=fix"), []);
    const call = turn.find(({ type }) => type === "agent.tool_use");
    await api.ok("POST", `/sessions/${waiting.id}/events`, {
      events: [{ type: "user.tool_confirmation", tool_use_id: call?.id, result: "allow" }],
    });
    assert.deepEqual(await query("requires_action=true"), [], "it was answered");
    assert.deepEqual((await query("requires_action=false")).length, 4);
  },
);

covers(["event-initial-order"], "initial_events: processed in order, all or none", async () => {
  const base = { agent: (await makeAgent(api)).id, environment_id: (await makeEnvironment(api)).id };
  const events = [steps({ say: "first" }), steps({ say: "second" })];
  const rejected = await api.post("/sessions", {
    ...base,
    initial_events: [...events, { type: "user.shout" }],
  });
  assertError(rejected, 400, "invalid_request_error", { param: "initial_events[2].type" });
  assert.deepEqual((await api.ok("GET", `/sessions?environment_id=${base.environment_id}`)).data, []);
  const session = await api.ok("POST", "/sessions", { ...base, initial_events: events });
  const log = await readEventsUntil(api, session.id, ({ type }) => type === "session.status_idle");
  const inputs = log.filter(({ type }) => type === "user.message").map(({ content }) => content);
  assert.deepEqual(
    inputs,
    events.map((event) => (event as AnyJson).content),
  );
  assert.ok(log.some(({ type, content }) => type === "agent.message" && content[0].text === "second"));
});

covers(["session-stats-end"], "session stats: include cancelled turns and stop at termination", async () => {
  const session = await makeSession(api);
  const path = `/sessions/${session.id}`;
  await api.ok("POST", `${path}/events`, { events: [steps({ wait_ms: 60_000 })] });
  let running = await api.ok("GET", path);
  await waitUntil(
    async () => {
      running = await api.ok("GET", path);
      return running.stats.active_seconds >= 1;
    },
    () => "no second of the turn is counted",
  );
  assert.equal(running.status, "running");
  await api.ok("POST", `${path}/cancel`, {});
  await readEventsUntil(api, session.id, ({ type }) => type === "session.status_idle");
  const cancelled = (await api.ok("GET", path)).stats;
  assert.ok(cancelled.active_seconds >= 1);
  await api.ok("POST", `${path}/terminate`, {});
  const ended = (await api.ok("GET", path)).stats;
  const later = await makeSession(api);
  await waitUntil(
    async () => (await api.ok("GET", `/sessions/${later.id}`)).stats.duration_seconds >= 2,
    () => "a session gets no older",
  );
  assert.deepEqual((await api.ok("GET", path)).stats, ended);
  assert.equal(ended.active_seconds, cancelled.active_seconds);
});
