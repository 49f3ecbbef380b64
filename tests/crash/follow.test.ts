import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { type AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeAgent, makeEnvironment, runTurn } from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { databaseUrlOf } from "../acceptance/harness/shared-database.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { isRestPath } from "../git-host/apis/serve-rest.ts";
import type { GitHost } from "../git-host/git-host.ts";
import { startGitHubHost } from "../git-host/github-host.ts";
import { pointsToTry, sample } from "./points.ts";
import { newSeed } from "./seed.ts";

/**
 * Kills every process of a service at requests with which it follows a pull request. The look is made again once its
 * claim has ended; what the dead one has written is not written again.
 */

const SAMPLED = 3;
const BRANCH = "agent/fix";

let host: GitHost;
let berth: Berth;
let token: string;
let settings: Record<string, string>;
/** Called for each request to the host's API while a look is to be disturbed. Returns true to answer it itself. */
let disturb: ((request: IncomingMessage, response: ServerResponse) => boolean) | null = null;

before(async () => {
  const intercept = (request: IncomingMessage, response: ServerResponse) =>
    isRestPath(request.url ?? "") && (disturb?.(request, response) ?? false);
  host = await startGitHubHost({ intercept });
  settings = {
    ...providerSettings(host),
    ...{ BERTH_FOLLOW_LOOK_SECONDS: "1", BERTH_FOLLOW_QUIET_SECONDS: "1" },
  };
  berth = await Berth.start({ settings });
  token = await berth.token();
});
after(async () => {
  await berth.stop();
  await host.stop();
});

const api = () => new Api(berth.url, token);

/** Starts the service again, when the time of a dead look's claim is over. Resolves once that look was made again. */
async function restart(): Promise<void> {
  berth = await Berth.start({ settings, dataDir: berth.dataDir });
  await sql("update session_follows set claimed_until = now() where claimed_until is not null");
  await waitUntil(
    async () => (await sql("select count(*) from session_follows where claim is not null")) === "0",
    () => "the look is not made again",
    120_000,
  );
}

/** Runs a statement in the service's database, and returns what it prints. */
async function sql(text: string): Promise<string> {
  const { username, password, port, searchParams, pathname } = new URL(databaseUrlOf(berth));
  const env = {
    ...{ PATH: process.env.PATH, PGUSER: username, PGPASSWORD: password, PGPORT: port },
    ...{ PGHOST: searchParams.get("host") ?? "", PGDATABASE: pathname.slice(1) },
  };
  const words = ["--no-psqlrc", "--tuples-only", "--no-align", "--command", text];
  return (await promisify(execFile)("psql", words, { env })).stdout.trim();
}

/**
 * Counts requests, and kills the service at the one with this number; null for none. A request with an even number is
 * handled, but its answer is lost; an odd one is not.
 */
function killAt(at: number | null) {
  let requests = 0;
  const killed = Promise.withResolvers<void>();
  let isDead = false;
  const kill = () => {
    isDead = true;
    berth.kill("SIGKILL").then(() => killed.resolve(), killed.reject);
  };
  disturb = (request, response) => {
    if (isDead) {
      request.destroy();
      return true;
    }
    requests += 1;
    if (requests !== at) return false;
    if (at % 2 === 1) {
      kill();
      request.destroy();
      return true;
    }
    const end = () => {
      kill();
      response.destroy();
      return response;
    };
    Object.assign(response, { end });
    return false;
  };
  return {
    /** Waits until something is so, with another service if this one is killed. Returns the number of requests. */
    async until(isSo: () => Promise<boolean>): Promise<number> {
      const seen = waitUntil(
        async () => !isDead && (await isSo().catch(() => false)),
        () => `it did not come, ${isDead ? "killed" : "undisturbed"}`,
        120_000,
      ).catch((error) => {
        if (!isDead) throw error;
      });
      await Promise.race([seen, killed.promise]);
      disturb = null;
      if (isDead) {
        await killed.promise;
        await restart();
        isDead = false;
        await waitUntil(
          async () => await isSo().catch(() => false),
          () => "it did not come again",
          120_000,
        );
      }
      return requests;
    },
  };
}

const PHASES = ["told", "answered", "stopped"] as const;
type Phase = (typeof PHASES)[number];
let made = 0;

/** Follows a pull request from its opening to its merge, with a kill in one phase. Returns the requests of each phase. */
async function follow(kill: { phase: Phase; at: number } | null): Promise<Record<Phase, number>> {
  const at = (phase: Phase) => killAt(kill?.phase === phase ? kill.at : null);
  const name = `crashed-${++made}`;
  await host.createRepository({ org: "acme", name, private: true, files: { "README.md": "# One\n" } });
  const project = host.project("acme", name);
  project.rights.set("ann", "write");
  const [agent, environment] = [await makeAgent(api()), await makeEnvironment(api())];
  const { id } = await api().ok("POST", "/sessions", {
    ...{ agent: agent.id, environment_id: environment.id, follow: { pull_request: true } },
    resources: [
      {
        ...{ type: "hosted_repository", url: `${host.url}/acme/${name}` },
        authorization_token: host.createToken({ user: "robot", permissions: "write" }),
      },
    ],
  });
  const push = `cd /data/${name} && git switch -qC ${BRANCH} && git commit -q --allow-empty -m fix && git push -q origin ${BRANCH}`;
  await runTurn(api(), id, bash(push));
  const heads: string[] = [];
  const fields = { title: "Fix a thing", body: "", draft: false, head: BRANCH, base: "main" };
  const pull = project.openPullRequest({ user: "robot" }, { ...fields, headOid: "a".repeat(40) });
  pull.ci = (sha) => {
    if (!heads.includes(sha)) heads.push(sha);
    return [
      { name: "test", by: "run", state: heads[0] === sha ? "failure" : "success", log: "It failed.\n" },
    ];
  };
  const { id: line } = project.commentLine(1, { author: "ann", body: "Say why." });

  const session = () => api().ok("GET", `/sessions/${id}`);
  const listed = async (type: string): Promise<AnyJson[]> =>
    (await api().ok("GET", `/sessions/${id}/events?types[]=${type}&limit=100`)).data;
  const messages = async () => (await listed("user.message")).filter(({ created_by }) => !created_by);
  const told = await at("told").until(async () => {
    const { follow: state, status } = await session();
    return state.attempts > 0 && status === "idle";
  });
  await runTurn(api(), id, bash(push));
  const answers = () => pull.lines.filter(({ answers: to }) => to === line);
  const answered = await at("answered").until(async () => answers().length > 0);
  project.change(1, { state: "MERGED" });
  const said = (marker: string) => pull.comments.filter(({ body }) => body.includes(marker));
  const stopped = await at("stopped").until(
    async () => (await session()).follow.status === "stopped" && said(" stopped merged").length > 0,
  );

  const where = JSON.stringify(kill);
  assert.equal(said(" started)").length, 1, where);
  assert.equal(said(" stopped merged").length, 1, where);
  assert.equal(answers().length, 1, where);
  const texts = JSON.stringify(await messages());
  assert.equal(texts.split("The check 'test").length - 1, 1, `${where}: ${texts}`);
  assert.equal(texts.split("Comment by ann").length - 1, 1, `${where}: ${texts}`);
  const handed = await listed("session.follow_handed_over");
  assert.equal(handed.length, (await messages()).length, where);
  assert.equal((await session()).follow.attempts, handed.length, where);
  assert.equal((await listed("session.follow_started")).length, 1, where);
  assert.equal((await listed("session.follow_stopped")).length, 1, where);
  return { told, answered, stopped };
}

test("killed while it follows: the look is made again, the agent is told once, and comments are written once", {
  timeout: 1_800_000,
}, async (context) => {
  const seed = newSeed();
  const counts = await follow(null);
  const all = PHASES.flatMap((phase) =>
    Array.from({ length: counts[phase] }, (_, index) => ({ phase, at: index + 1 })),
  );
  const points = sample(all, pointsToTry(SAMPLED), seed);
  let kills = 0;
  for (const point of points) if ((await follow(point))[point.phase] >= point.at) kills += 1;
  context.diagnostic(`${points.length} of ${all.length} requests tried, ${kills} killed it, seed ${seed}`);
  assert.ok(kills > points.length / 2, `only ${kills} of ${points.length} requests came`);
});
