import assert from "node:assert/strict";
import { after, before } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyJson, Api, type ApiResponse } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { makeAgent, makeEnvironment } from "../harness/fixtures.ts";
import { settingsToShare } from "../harness/shared-database.ts";
import { waitUntil } from "../harness/wait-until.ts";

/**
 * Tests changes by one service of a database, or by a command, while another service is asked continuously,
 * so that its caches are filled.
 */
let first: Berth;
let second: Berth;
let owner: Api;
before(async () => {
  first = await Berth.start();
  second = await Berth.start({ settings: settingsToShare(first) });
  owner = await first.client();
});
after(async () => {
  await second.stop();
  await first.stop();
});

/** Milliseconds for which a service may use a cached token. */
const NOTICED_WITHIN_MS = 100;

interface Asked {
  began: number;
  ended: number;
  answer: ApiResponse;
}

const elsewhere = (token: string) => new Api(second.url, token);
const admin = (...words: string[]) => first.command("admin", ...words);
const refused =
  (status: number, message: RegExp) =>
  ({ status: given, body }: ApiResponse) => {
    assert.equal(given, status, JSON.stringify(body));
    assert.match(body.error.message, message);
  };

/**
 * Sends requests one after another while something changes. Those that end before the change succeed. Each
 * that begins 100 ms after it is rejected, however slow the machine, and so is each after a rejected one.
 *
 * @param change may return the time of the change by `Date.now`; by default the time of its end.
 */
async function assertNoticed(
  ask: () => Promise<ApiResponse>,
  change: () => Promise<unknown>,
  assertRefused: (answer: ApiResponse) => void,
): Promise<void> {
  const asked: Asked[] = [];
  const stop = new AbortController();
  const asking = askUntil(stop.signal, ask, asked);
  try {
    await waitUntil(
      () => asked.length > 2,
      () => "nothing was answered",
    );
    const began = Date.now();
    const given = await change();
    const counts = typeof given === "number" ? given : Date.now();
    const late = () => asked.filter((one) => one.began >= counts + NOTICED_WITHIN_MS);
    await waitUntil(
      () => late().length > 0,
      () => "nothing more was answered",
    );
    const until = typeof given === "number" ? given : began;
    for (const { answer } of asked.filter(({ ended }) => ended < until)) assert.equal(answer.status, 200);
    const firstRefused = asked.findIndex(({ answer }) => answer.status !== 200);
    for (const { answer } of [...asked.slice(firstRefused), ...late()]) assertRefused(answer);
  } finally {
    stop.abort();
    await asking;
  }
}

async function askUntil(signal: AbortSignal, ask: () => Promise<ApiResponse>, asked: Asked[]): Promise<void> {
  while (!signal.aborted) {
    const began = Date.now();
    const answer = await ask();
    asked.push({ began, ended: Date.now(), answer });
    // Rejected requests cost time, too, and the machine's other services have to run.
    await pause(2);
  }
}

async function assertTokenRefused(token: string, change: () => Promise<unknown>, message: RegExp) {
  const api = elsewhere(token);
  await assertNoticed(() => api.get("/tokens/current"), change, refused(401, message));
}

covers(["token-changed-elsewhere"], "another service: a revoked token, and a child of it", async () => {
  const parent = await owner.ok("POST", "/tokens", { name: "parent" });
  const child = await new Api(first.url, parent.token).ok("POST", "/tokens", { name: "child" });
  const api = elsewhere(parent.token);
  await assertTokenRefused(
    child.token,
    async () => {
      assert.equal((await api.get("/agents")).status, 200);
      await owner.ok("DELETE", `/tokens/${parent.id}`);
    },
    /revoked/,
  );
  refused(401, /revoked/)(await api.get("/agents"));
});

covers(["token-changed-elsewhere"], "another service: an expired token", async () => {
  const expires = Date.now() + 3_000;
  const made = await owner.ok("POST", "/tokens", {
    name: "short",
    expires_at: new Date(expires).toISOString(),
  });
  await assertTokenRefused(made.token, async () => expires, /expired/);
});

covers(["token-changed-elsewhere"], "another service: a disabled user and service account", async () => {
  const user = await first.token({ user: "ada@example.com" });
  await assertTokenRefused(user, () => admin("users", "disable", "ada@example.com"), /user .* disabled/);
  const robot = await first.token({ kind: "sat", user: "robot@example.com" });
  await assertTokenRefused(
    robot,
    () => admin("service-accounts", "disable", "robot@example.com", "--org", "default"),
    /service account .* disabled/,
  );
});

covers(["token-changed-elsewhere"], "another service: an erased user and organization", async () => {
  const gone = /disabled|unknown/;
  const bob = await first.token({ user: "bob@example.com" });
  await assertTokenRefused(bob, () => admin("erase", "--user", "bob@example.com", "--wait", "1"), gone);
  await admin("organizations", "create", "acme");
  const [member, robot] = [
    await first.token({ org: "acme", user: "member@acme.example" }),
    await first.token({ org: "acme", kind: "sat", user: "robot@acme.example" }),
  ];
  let erased: Promise<unknown> | undefined;
  const erase = () => {
    erased ??= admin("erase", "--org", "acme", "--wait", "1");
    return erased;
  };
  await Promise.all([member, robot].map((token) => assertTokenRefused(token, erase, gone)));
});

covers(["token-changed-elsewhere"], "another service: an admin who is a member now", async () => {
  const chief = elsewhere(await first.token({ user: "chief@example.com", role: "admin" }));
  const { id } = await makeAgent(owner);
  await assertNoticed(
    () => chief.get(`/agents/${id}`),
    () => admin("users", "set-role", "chief@example.com", "member"),
    refused(403, /no access to agent/),
  );
});

for (const kind of ["agent", "environment"] as const) {
  covers(
    ["session-archived-meanwhile"],
    `another service: an ${kind} that is archived while sessions are created`,
    async () => {
      const [used, other] = [await makePair(), await makePair()];
      const id = kind === "agent" ? used.agent : used.environment_id;
      const creations: Creation[] = [];
      let archived = Number.POSITIVE_INFINITY;
      const isArchived = () => archived < performance.now();
      const creating = Promise.all(
        Array.from({ length: CALLERS }, (_, place) =>
          createUntil(isArchived, place % 2 === 0 ? used : other, creations),
        ),
      );
      await waitUntil(
        () => creations.length > 3 * CALLERS,
        () => "nothing was created",
      );
      await owner.ok("POST", `/${kind}s/${id}/archive`);
      archived = performance.now();
      await creating;
      const noun = kind === "agent" ? "Agent" : "Environment";
      const error = { type: "conflict_error", message: `${noun} '${id}' is archived.` };
      for (const { began, agent, answer } of creations) {
        const { status, body } = answer;
        if (agent === other.agent) assert.equal(status, 200, JSON.stringify(body));
        else if (status !== 200 || began > archived) assert.deepEqual([status, body.error], [409, error]);
      }
      const made = creations.flatMap(({ answer }) => (answer.status === 200 ? [answer.body.id] : []));
      assert.deepEqual((await sessionsOf([used.agent, other.agent])).toSorted(), made.toSorted());
      const entries = (await auditedSessions()).filter((one) => made.includes(one));
      assert.deepEqual(entries.toSorted(), made.toSorted());
    },
  );
}

/** The number of simultaneous creators, so that most sessions share a statement. */
const CALLERS = 12;

type Pair = { agent: string; environment_id: string };
type Creation = { began: number; agent: string; answer: ApiResponse };

async function makePair(): Promise<Pair> {
  const [agent, environment] = [await makeAgent(owner), await makeEnvironment(owner)];
  return { agent: agent.id, environment_id: environment.id };
}

/** Creates one session after another; the last one begins when `isOver` is true. */
async function createUntil(isOver: () => boolean, pair: Pair, creations: Creation[]): Promise<void> {
  const api = elsewhere(`${owner.token}`);
  for (let last = false; !last; ) {
    last = isOver();
    const began = performance.now();
    creations.push({ began, agent: pair.agent, answer: await api.post("/sessions", pair) });
  }
}

async function sessionsOf(agents: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const agent of agents) {
    for (let page: string | null = ""; page !== null; ) {
      const query = `limit=100&agent_id=${agent}${page && `&page=${encodeURIComponent(page)}`}`;
      const list: AnyJson = await owner.ok("GET", `/sessions?${query}`);
      found.push(...list.data.map(({ id }: AnyJson) => id));
      page = list.next_page;
    }
  }
  return found;
}

/** Returns the ids of created sessions in the audit log. */
async function auditedSessions(): Promise<string[]> {
  const lines = await admin("audit", "--all", "--json", "--operation", "sessions.create");
  return lines.split("\n").map((line) => JSON.parse(line).resources[0]);
}
