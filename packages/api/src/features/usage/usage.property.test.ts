// Subject: the table session_usage, which triggers maintain, and its report, compared with the totals of
// sessions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatId, type ModelUsage, NO_USAGE, newUuid, parseId, type UsageReport } from "@berth/contract";
import {
  appendByRun,
  appendIdle,
  appendRunning,
  appendTakingInputs,
} from "@berth/runs/test-support/internals/lease";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { appendTerminated } from "@berth/store/session-log";
import { seedLease } from "@berth/store/test-support/runs";
import fc from "fast-check";
import { type Caller, testApp } from "../../../test-support/http.ts";
import { markDeleted } from "../sessions/session-store.ts";

const MODELS = ["priced/small", "priced/large", "unknown/model"];
const PRICES = new Map([
  ["priced/small", 0.001],
  ["priced/large", 0.02],
]);

interface Made {
  id: string;
  lease: Lease;
  owner: string;
  agent: string;
  environment: string;
  model: string;
  /** Model of the session's Explore calls. */
  exploreModel: string;
  explored: ModelUsage;
  isRunning: boolean;
  turns: number;
  /** Totals of the row when it was deleted; null while it exists. */
  gone: Totals | null;
}

interface Totals extends ModelUsage {
  active_ms: number;
}

/** Usage of a session by itself, or by its Explore calls, which do not count as another session. */
interface Used {
  session: Made;
  model: string;
  isWhole: boolean;
  totals: Totals;
}

const tokens = fc.integer({ min: 0, max: 1_000_000 });
const usage = fc.record({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_input_tokens: tokens,
  cache_creation_input_tokens: tokens,
});
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant("turn" as const), milliseconds: fc.nat(100_000) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constantFrom("append", "take", "explore"), usage }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom("terminate", "delete", "night") }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
/** Scenario with one session per owner: indexes of its agent and environment, and the steps that follow. */
const scenario = fc.record({
  choices: fc.array(fc.record({ agent: fc.nat(2), environment: fc.nat(1) }), { minLength: 3, maxLength: 3 }),
  steps: fc.array(fc.record({ at: fc.nat(2), step }), { minLength: 25, maxLength: 50 }),
});

/** A caller with agents of different models. */
interface Member {
  caller: Caller;
  owner: string;
  agents: { id: string; model: string; exploreModel: string }[];
  environments: string[];
}

test("random turns: totals of every report equal the sums of sessions, also of those that are gone", async (t) => {
  const { caller, db } = await testApp(t, {
    models: {
      get: () => ({ contextWindow: 200_000 }),
      list: () => [],
      defaultModel: null,
      totalCost: (id, used) => (PRICES.has(id) ? tokensOf(used) * (PRICES.get(id) ?? 0) : null),
    },
  });
  const ada = await caller({ email: "ada@example.com" });
  const bob = await caller({ email: "bob@example.com" });
  const account = await caller({ email: "ci", kind: "sat" });
  const admin = await caller({ email: "admin@example.com", role: "admin" });
  const stranger = await caller({ email: "eve@example.com", org: "other" });
  const members = [await memberOf(ada), await memberOf(bob), await memberOf(account)];
  const [ofAda = "", ofBob = "", ofAll = ""] = members.map(({ owner }) => owner);
  const all: Made[] = [];
  await fc.assert(
    fc.asyncProperty(scenario, async ({ choices, steps }) => {
      const made: Made[] = [];
      for (const [place, choice] of choices.entries())
        made.push(await makeSession(db.write, members[place] ?? assert.fail(), choice));
      all.push(...made);
      for (const { at, step } of steps) await take(db.write, made[at] ?? assert.fail(), step);
      await check(admin, all, db.write);
      await check(ada, of(all, ofAda, ofAll), db.write);
      await check(bob, of(all, ofBob, ofAll), db.write);
      await check(account, of(all, ofAll), db.write);
      await check(stranger, [], db.write);
    }),
    { numRuns: 12 },
  );
});

async function memberOf(caller: Caller): Promise<Member> {
  const { principal, organization } = (await caller.get("/whoami")).body;
  const owner = principal.type === "user" ? principal.id : organization.id;
  const agents: Member["agents"] = [];
  for (const [index, model] of MODELS.entries()) {
    const exploreModel = MODELS[(index + 1) % MODELS.length] ?? model;
    const configs = [{ name: "Explore", model: exploreModel }];
    const tools = [{ type: "agent_toolset_20260401", configs }];
    agents.push({ id: (await caller.made("/agents", { name: "a", model, tools })).id, model, exploreModel });
  }
  const environments: string[] = [];
  for (const name of ["one", "two"]) environments.push((await caller.made("/environments", { name })).id);
  return { caller, owner, agents, environments };
}

async function makeSession(
  db: Queryable,
  { caller, owner, agents, environments }: Member,
  choice: { agent: number; environment: number },
): Promise<Made> {
  const agent = agents[choice.agent] ?? assert.fail();
  const environment = environments[choice.environment] ?? assert.fail();
  const session = await caller.made("/sessions", { agent: agent.id, environment_id: environment });
  const id = parseId("session", session.id) ?? "";
  const lease = await seedLease(db, id, "worker");
  const { model, exploreModel } = agent;
  const ids = { owner, agent: agent.id, environment, model, exploreModel };
  return { id, lease, ...ids, explored: NO_USAGE, isRunning: false, turns: 0, gone: null };
}

/** Takes a step. Does nothing if the step is impossible for a session that has ended. */
async function take(db: Queryable, session: Made, step: Step): Promise<void> {
  if (step.does === "night") return await passNight(db);
  if (session.gone !== null) return;
  const { rows } = await db.query({
    text: "select from sessions where id = $1 and terminated_at is not null",
    values: [session.id],
  });
  if (step.does === "delete") return await remove(db, session);
  if (rows.length > 0) return;
  if ("milliseconds" in step) return await turn(db, session, step.milliseconds);
  if (step.does === "explore") {
    session.explored = plus(session.explored, step.usage);
    const parent_tool_use_id = formatId("event", newUuid());
    const ends = [requestEnd(step.usage), requestEnd(null)];
    const drafts = ends.map(({ event }) => ({ event: { ...event, parent_tool_use_id } }));
    return void (await appendByRun(db, session.lease, drafts));
  }
  if ("usage" in step) {
    const append = step.does === "take" ? appendTakingInputs : appendByRun;
    return void (await append(db, session.lease, [requestEnd(step.usage), requestEnd(null)]));
  }
  await appendTerminated(db, session.id);
  if (session.isRunning) session.turns += 1;
  session.isRunning = false;
}

/** Moves all usage back by one day, through days that no row has, so that rows stay unique. */
async function passNight(db: Queryable): Promise<void> {
  for (const days of [-10_000, 9_999])
    await db.query({
      text: "update session_usage set day = day + $1::integer, previous_day = previous_day + $1::integer",
      values: [days],
    });
}

/** Starts a turn, or ends the running one. */
async function turn(db: Queryable, session: Made, milliseconds: number): Promise<void> {
  if (!session.isRunning) {
    await appendRunning(db, session.lease);
    session.isRunning = true;
    return;
  }
  await db.query({
    text: "update sessions set running_since = now() - $2 * interval '1 millisecond' where id = $1",
    values: [session.id, milliseconds],
  });
  await appendIdle(db, session.lease, [
    { event: { type: "session.status_idle", stop_reason: { type: "end_turn" } } },
  ]);
  session.isRunning = false;
  session.turns += 1;
}

/** Deletes a session as the API and then a worker do. */
async function remove(db: Queryable, session: Made): Promise<void> {
  const totals = await totalsOf(db, session);
  await markDeleted(db, [session.id]);
  await db.query({ text: "delete from sessions where id = $1", values: [session.id] });
  session.gone = totals;
}

function requestEnd(model_usage: ModelUsage | null) {
  return {
    event: {
      type: "span.model_request_end" as const,
      model_request_start_id: formatId("event", newUuid()),
      is_error: model_usage === null,
      model_usage,
    },
  };
}

async function totalsOf(db: Queryable, { id, gone }: Made): Promise<Totals> {
  if (gone !== null) return gone;
  const { rows } = await db.query<Totals>({
    text: `select active_ms, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens
      from sessions where id = $1`,
    values: [id],
  });
  return rows[0] ?? assert.fail(id);
}

function of(all: readonly Made[], ...owners: readonly string[]): Made[] {
  return all.filter(({ owner }) => owners.includes(owner));
}

const GROUPS = {
  agent: ({ session }: Used) => session.agent,
  user: ({ session }: Used) => session.owner,
  model: ({ model }: Used) => model,
  environment: ({ session }: Used) => session.environment,
};

async function check(caller: Caller, sessions: readonly Made[], db: Queryable): Promise<void> {
  const used: Used[] = [];
  for (const session of sessions) {
    const totals = await totalsOf(db, session);
    if (session.turns > 0 || Object.values(totals).some((value) => value > 0))
      used.push(...partsOf(session, totals));
  }
  const from = new Date(Date.now() - 360 * 86_400_000).toISOString().slice(0, 10);
  const report = async (group: string): Promise<UsageReport> => {
    const { status, body, text } = await caller.get(`/usage?from=${from}&group_by=${group}`);
    assert.equal(status, 200, text);
    return body;
  };
  for (const [group, keyOf] of Object.entries(GROUPS)) {
    const { total, data, has_more } = await report(group);
    assert.equal(has_more, false);
    assert.deepEqual(total, expected(used));
    const byKey: Map<string, Used[]> = Map.groupBy(used, keyOf);
    assert.deepEqual(
      new Map(data.map(({ key, name: _name, ...figures }) => [key, figures])),
      new Map([...byKey].map(([key, some]) => [key, expected(some)])),
      group,
    );
  }
  const { total, data } = await report("day");
  assert.deepEqual(total, expected(used));
  for (const name of ["input_tokens", "output_tokens"] as const)
    assert.equal(
      data.reduce((sum, day) => sum + day.usage[name], 0),
      total.usage[name],
    );
  assert.equal(
    data.reduce((sum, day) => sum + day.turns, 0),
    total.turns,
  );
}

function partsOf(session: Made, totals: Totals): Used[] {
  const { model, exploreModel, explored } = session;
  const whole = { ...totals, ...plus(totals, explored, -1) };
  const parts: Used[] = [{ session, model, isWhole: true, totals: whole }];
  if (tokensOf(explored) === 0) return parts;
  return [...parts, { session, model: exploreModel, isWhole: false, totals: { ...explored, active_ms: 0 } }];
}

function plus(one: ModelUsage, other: ModelUsage, times = 1): ModelUsage {
  return {
    input_tokens: one.input_tokens + times * other.input_tokens,
    output_tokens: one.output_tokens + times * other.output_tokens,
    cache_read_input_tokens: one.cache_read_input_tokens + times * other.cache_read_input_tokens,
    cache_creation_input_tokens: one.cache_creation_input_tokens + times * other.cache_creation_input_tokens,
  };
}

function expected(used: readonly Used[]) {
  const sum = (value: (one: Used) => number) => used.reduce((before, one) => before + value(one), 0);
  const read = sum(({ totals }) => totals.cache_read_input_tokens);
  const input = sum(({ totals }) => tokensOf(totals) - totals.output_tokens);
  return {
    sessions: used.filter(({ isWhole }) => isWhole).length,
    turns: sum(({ session, isWhole }) => (isWhole ? session.turns : 0)),
    active_seconds: sum(({ totals }) => totals.active_ms) / 1_000,
    usage: {
      input_tokens: sum(({ totals }) => totals.input_tokens),
      output_tokens: sum(({ totals }) => totals.output_tokens),
      cache_read_input_tokens: sum(({ totals }) => totals.cache_read_input_tokens),
      cache_creation_input_tokens: sum(({ totals }) => totals.cache_creation_input_tokens),
    },
    cached_input_share: input === 0 ? null : Number((read / input).toFixed(4)),
    list_cost_usd: Number(sum(({ model, totals }) => tokensOf(totals) * (PRICES.get(model) ?? 0)).toFixed(6)),
    unpriced_tokens: sum(({ model, totals }) => (PRICES.has(model) ? 0 : tokensOf(totals))),
  };
}

function tokensOf(usage: ModelUsage): number {
  return (
    usage.input_tokens +
    usage.output_tokens +
    usage.cache_read_input_tokens +
    usage.cache_creation_input_tokens
  );
}
