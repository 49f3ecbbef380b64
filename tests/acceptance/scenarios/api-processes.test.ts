import assert from "node:assert/strict";
import { Agent, get, type IncomingMessage } from "node:http";
import { after, before } from "node:test";
import { furtherApis, isAlive } from "../../crash/processes.ts";
import type { AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { makeSession, runTurn, steps } from "../harness/fixtures.ts";
import { readFrames } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

const PROCESSES = ["api", "api_2", "api_3"];
const [PER_SECOND, BURST] = [50, 500];

let berth: Berth;
let owner: Api;
before(async () => {
  berth = await Berth.start({
    settings: {
      BERTH_API_PROCESSES: `${PROCESSES.length}`,
      BERTH_USER_LIMITS: `requests_per_second=${PER_SECOND},request_burst=${BURST}`,
      BERTH_ADDRESS_LIMITS: "requests_per_second=1,request_burst=10",
    },
  });
  owner = await berth.client();
});
after(() => berth.stop());

/** Sends a request on a new connection. */
function ask(path: string, token = owner.token ?? ""): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${token}` };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(`${berth.url}${path}`, { headers, agent: new Agent() }, resolve).on("error", reject);
  return promise.then(async (response) => ({
    status: response.statusCode ?? 0,
    text: (await response.toArray()).join(""),
  }));
}

function askOften(times: number, path: string, token?: string) {
  return Promise.all(Array.from({ length: times }, () => ask(path, token)));
}

/** Returns the processes that have handled requests, by their log. */
function answering(): Set<string> {
  const lines = berth.log.split("\n").filter((line) => line.includes('"operation":"agents.list"'));
  return new Set(lines.flatMap((line) => /"part":"(\w+)"/.exec(line)?.[1] ?? []));
}

const AGENTS = "/api/v1/cloud/agents";

covers(
  ["api-processes"],
  "several processes: all answer at one port, with one count of all requests",
  async () => {
    assert.equal((await ask(AGENTS)).status, 200);
    let asked = 1;
    await waitUntil(
      async () => {
        const replies = await askOften(60, AGENTS);
        assert.ok(replies.every(({ status }) => status === 200));
        asked += 60;
        return answering().size === PROCESSES.length;
      },
      () => `only ${[...answering()]} have answered`,
    );
    for (const { text } of await askOften(10, "/metrics")) {
      assert.match(
        text,
        new RegExp(
          `^berth_http_request_seconds_count\\{operation="agents.list",status="200"\\} ${asked}$`,
          "m",
        ),
      );
      for (const name of PROCESSES)
        assert.match(text, new RegExp(`^process_cpu_seconds_total\\{process="${name}"\\}`, "m"));
      assert.match(text, /^berth_runner_up 1$/m);
    }
    await berth.ready();
    for (const { status, text } of await askOften(10, "/readyz")) assert.equal(status, 200, text);
  },
);

covers(
  ["api-processes", "event-stream"],
  "several processes: each stream has all events, in the order of the log",
  async () => {
    const session = await makeSession(owner);
    const followed = Array.from({ length: 6 }, async () => {
      const seen: string[] = [];
      let idles = 0;
      for await (const { data } of readFrames(owner, session.id, { query: "from=start" })) {
        seen.push(data.id);
        if (data.type === "session.status_idle" && ++idles === 3) break;
      }
      return seen;
    });
    for (const word of ["One.", "Two.", "Three."]) await runTurn(owner, session.id, steps({ say: word }));
    const log = (await owner.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
    const ids = log.map(({ id }: AnyJson) => id);
    for (const seen of await Promise.all(followed)) assert.deepEqual(seen, ids);
  },
);

covers(
  ["api-processes", "limit-requests", "limit-addresses"],
  "several processes: limits hold over all of them",
  async () => {
    const user = await berth.client({ user: "busy@example.com" });
    assert.equal((await ask(AGENTS, user.token ?? "")).status, 200);
    // Once one process has accepted the token, all processes know it, and none counts it against the address.
    assert.ok((await askOften(50, AGENTS, user.token ?? "")).every(({ status }) => status === 200));
    const unknown = `${user.token?.slice(0, -1)}`;
    assert.equal((await ask(AGENTS, unknown)).status, 401);
    const began = performance.now();
    let allowed = 0;
    for (let volley = 0; volley < (2 * BURST) / 100; volley += 1)
      allowed += (await askOften(100, AGENTS, user.token ?? "")).filter(
        ({ status }) => status === 200,
      ).length;
    const most = BURST + 1 + PER_SECOND * ((performance.now() - began) / 1_000);
    assert.ok(allowed <= most, `${allowed} of at most ${most}`);
  },
);

covers(
  ["api-process-ends"],
  "a process of the API is killed or frozen: the others answer, and another takes its place",
  async () => {
    for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
      const before = furtherApis(berth);
      assert.equal(before.length, PROCESSES.length - 1);
      const [victim = 0] = before;
      process.kill(victim, signal);
      if (signal === "SIGKILL")
        await waitUntil(
          async () => !isAlive(victim),
          () => "it lives",
        );
      for (let round = 0; round < 5; round += 1)
        assert.ok(
          (await askOften(20, AGENTS)).every(({ status }) => status === 200),
          signal,
        );
      await waitUntil(
        async () => {
          const now = furtherApis(berth);
          return !now.includes(victim) && now.length === before.length;
        },
        () => `nothing takes the place of the process after ${signal}:\n${berth.log.slice(-2_000)}`,
      );
      await waitUntil(
        async () => {
          const { text } = await ask("/metrics");
          return PROCESSES.every((name) => text.includes(`process_cpu_seconds_total{process="${name}"}`));
        },
        () => `the process that took its place does not answer after ${signal}:\n${berth.log.slice(-2_000)}`,
      );
    }
  },
);

covers(
  ["api-processes"],
  "several processes: at SIGTERM their streams end, and nothing is left",
  async () => {
    const session = await makeSession(owner);
    const opened = Array.from({ length: 6 }, () => Promise.withResolvers<void>());
    const ended = opened.map(async ({ resolve }) => {
      for await (const _ of readFrames(owner, session.id, { onOpen: resolve }));
    });
    await Promise.all(opened.map(({ promise }) => promise));
    const processes = furtherApis(berth);
    assert.equal(await berth.kill("SIGTERM"), 0);
    await Promise.all(ended);
    assert.deepEqual(processes.filter(isAlive), []);
    assert.ok(!/"level":[56]0/.test(berth.log), berth.log.slice(-2_000));
  },
);
