// Tests that an agent, its model or its servers cannot make another organization wait by what they put into a
// session.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { AnyJson, Api, Json } from "../../acceptance/harness/api.ts";
import { Berth } from "../../acceptance/harness/berth.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeSession,
  runTurn,
  steps,
} from "../../acceptance/harness/fixtures.ts";
import { pidOf } from "../../crash/processes.ts";
import { makeCertificates } from "../../git-host/certificates.ts";
import { type ScriptedMcpServer, startScriptedMcpServer } from "../../mcp-host/scripted-mcp-server.ts";

/**
 * The allowed slowdown, and the bound in milliseconds that is always allowed, since a loaded machine has
 * pauses of its own. Without protection, the abuses below delay others by 18 to 400 seconds.
 */
const [MAX_SLOWDOWN, MIN_BOUND_MS] = [5, 12_000];
const LARGE_TEXT = "a".repeat(3_900_000);
const IS_ROOT = process.getuid?.() === 0;

let berth: Berth;
let api: Api;
let other: Api;
let quietMs: number;
let directory: string;
let tools: ScriptedMcpServer;
let slow: Server;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "neighbours-"));
  tools = await startScriptedMcpServer(tinyTools);
  const { caFile, key, certificate } = await makeCertificates(directory, ["slow.localhost"]);
  slow = createServer({ key, cert: certificate }, async (_, response) => {
    for (let piece = 0; piece < 3_000; piece++) {
      response.write("a");
      await pause(0);
    }
    response.end();
  }).listen(0, "127.0.0.1");
  while (!slow.listening) await pause(10);
  berth = await Berth.start({
    settings: {
      BERTH_GIT_CA_FILES: JSON.stringify([{ host: "slow.localhost", ca_file: caFile }]),
      BERTH_EGRESS_ALLOW_PRIVATE: `${new URL(tools.url).host} ${slowHost()}`,
    },
  });
  api = await berth.client();
  other = await berth.client({ org: "other", user: "other@example.org" });
  await berth.ready();
  await runTurn(other, (await makeSession(other)).id, { say: "warm" });
  quietMs = await longestTurn(pause(3_000));
});
after(async () => {
  await berth.stop();
  tools.stop();
  slow.close();
  slow.closeAllConnections();
  await rm(directory, { recursive: true });
});

const slowHost = () => `slow.localhost:${(slow.address() as AddressInfo).port}`;

/** Returns a list of 63 pages with 2,800 tools each. */
function tinyTools({ method, params }: { method: string; params?: AnyJson }): object | undefined {
  if (method !== "tools/list") return method === "tools/call" ? { content: [] } : undefined;
  const page = Number(params?.cursor ?? 0);
  const list = Array.from({ length: 2_800 }, (_, at) => ({
    name: `t${page * 2_800 + at}`,
    inputSchema: { type: "object" },
  }));
  return { tools: list, ...(page < 62 && { nextCursor: `${page + 1}` }) };
}

/**
 * Returns the duration of the longest turn that the other organization runs, one after another, until the
 * work is done. Runs at least three.
 */
async function longestTurn(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const settled = work.finally(() => {
    isDone = true;
  });
  settled.catch(() => undefined);
  const session = await makeSession(other);
  let longest = 0;
  for (let turns = 0; turns < 3 || !isDone; turns++) {
    const began = performance.now();
    await runTurn(other, session.id, { say: `turn ${turns}` });
    longest = Math.max(longest, performance.now() - began);
  }
  await settled;
  return longest;
}

async function send(id: string, ...events: Json[]): Promise<number> {
  return (await api.call("POST", `/sessions/${id}/events`, { events })).status;
}

/**
 * Waits until a session is idle. Its log is too large to be read here: this process's work would be measured
 * as well.
 */
async function untilIdle(id: string): Promise<void> {
  do await pause(200);
  while ((await api.ok("GET", `/sessions/${id}`)).status !== "idle");
}

function message(text: string): Json {
  return { type: "user.message", content: [{ type: "text", text }] };
}

/** Creates a session of the first organization whose agent has a server's tools. */
async function sessionWithTools(): Promise<AnyJson> {
  const agent = await makeAgent(api, {
    mcp_servers: [{ type: "url", name: "tiny", url: tools.url }],
    tools: [{ type: "mcp_toolset", mcp_server_name: "tiny" }],
  });
  const networking = { type: "limited", allow_mcp_servers: true };
  const environment = await makeEnvironment(api, { config: { type: "cloud", networking } });
  return await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id });
}

async function sessionWithSecret(value: string): Promise<AnyJson> {
  const vault = await api.ok("POST", "/vaults", { display_name: "keys" });
  const auth = {
    type: "environment_variable",
    secret_name: "KEY",
    secret_value: value,
    networking: { allowed_hosts: [slowHost()] },
  };
  await api.ok("POST", `/vaults/${vault.id}/credentials`, { auth });
  const networking = { type: "limited", allowed_hosts: [slowHost()] };
  const environment = await makeEnvironment(api, {
    credentials: "proxy",
    config: { type: "cloud", networking },
  });
  return await makeSession(api, { environment_id: environment.id, vault_ids: [vault.id] });
}

const ABUSES: Readonly<Record<string, () => Promise<unknown>>> = {
  "text with an open escape sequence, in a session with a secret": async () => {
    const variables = { environment_variables: { KEY: "a-secret-of-some-length" } };
    const session = await makeSession(api, variables);
    for (const open of ["\u001b]", "\u001bP", "\u001b_"])
      await runTurn(api, session.id, { say: open + "a".repeat(250_000) });
  },
  "300 messages of 3.9 MB": async () => {
    const session = await makeSession(api);
    const statuses = [];
    await send(session.id, steps({ wait_ms: 600_000 }));
    for (let sent = 0; sent < 12; sent++) statuses.push(await send(session.id, message(LARGE_TEXT)));
    assert.ok(statuses.includes(409), "what waits is bounded");
    await api.ok("POST", `/sessions/${session.id}/cancel`);
    await untilIdle(session.id);
    await send(session.id, message(LARGE_TEXT));
    await untilIdle(session.id);
  },
  "pages of large events, many at once": async () => {
    const session = await makeSession(api);
    for (let turns = 0; turns < 4; turns++) {
      for (let sent = 0; sent < 4; sent++) await send(session.id, message(LARGE_TEXT));
      await untilIdle(session.id);
    }
    const page = `${api.url}/api/v1/cloud/sessions/${session.id}/events?limit=100&order=desc`;
    const headers = { authorization: `Bearer ${api.token}` };
    const pages = Array.from({ length: 12 }, async () => (await fetch(page, { headers })).body?.cancel());
    await Promise.all(pages);
  },
  "more turns than slots whose model thinks for long": async () => {
    const agent = await makeAgent(api);
    const environment = await makeEnvironment(api);
    const body = { agent: agent.id, environment_id: environment.id };
    const sessions = await Promise.all(Array.from({ length: 34 }, () => api.ok("POST", "/sessions", body)));
    await Promise.all(sessions.map(({ id }) => send(id, steps({ wait_ms: 15_000 }, { say: "late" }))));
    await pause(12_000);
    await Promise.all(sessions.map(({ id }) => api.ok("POST", `/sessions/${id}/terminate`)));
  },
  "an MCP server with 63 pages of 2,800 tiny tools": async () => {
    await runTurn(api, (await sessionWithTools()).id, { say: "done" });
  },
};

describe("abuse: another organization's turns do not wait", { timeout: 900_000 }, () => {
  for (const [name, abuse] of Object.entries(ABUSES)) test(name, (context) => measured(context, abuse));

  test(
    "a long secret, and a response in 3,000 pieces of one byte",
    {
      skip: IS_ROOT ? false : "not root",
    },
    (context) =>
      measured(context, async () => {
        const session = await sessionWithSecret("a".repeat(4_090));
        await runTurn(api, session.id, bash(`curl -s https://${slowHost()}/ | wc -c`));
      }),
  );
});

async function measured(
  context: { diagnostic(text: string): void },
  abuse: () => Promise<unknown>,
): Promise<void> {
  const runner = pidOf(berth, "runner");
  const longest = await longestTurn(abuse());
  context.diagnostic(`longest turn ${longest.toFixed(0)} ms, quiet ${quietMs.toFixed(0)} ms`);
  assert.equal(pidOf(berth, "runner"), runner, "the process that runs sessions is the same");
  assert.ok(longest <= Math.max(MAX_SLOWDOWN * quietMs, MIN_BOUND_MS), `${longest} ms, quiet ${quietMs} ms`);
}
