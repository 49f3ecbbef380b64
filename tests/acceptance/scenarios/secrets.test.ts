import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { promisify } from "node:util";
import type { GitHost } from "../../git-host/git-host.ts";
import { startGitHubHost } from "../../git-host/github-host.ts";
import {
  type BearerProxy,
  type EverythingServer,
  startBearerProxy,
  startEverything,
} from "../../mcp-host/mcp-host.ts";
import type { AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { CAN_TRACE, readFinishedTrace, straceCommand } from "../harness/exec-trace.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { ScannedApi, SecretScanner } from "../harness/secret-scanner.ts";
import { readFrames } from "../harness/stream.ts";

const run = promisify(execFile);
const POSTGRES_BIN = "/usr/lib/postgresql/15/bin";
const SCANNER = new SecretScanner();

let directory: string;
let hosts: { hosted: GitHost; generic: GitHost };
let everything: EverythingServer;
/** A proxy that accepts only requests with the vault's token. */
let mcp: BearerProxy;
let settings: Record<string, string>;
let samples = 0;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "secrets-"));
  // While the request is held, git and its credential helpers run in the sandbox.
  const onRequest = () => {
    SCANNER.checkArguments();
    SCANNER.checkEnvironments();
    samples += 1;
  };
  const start = (name: string) => startGitHubHost({ dir: join(directory, name), onRequest });
  const [hosted, generic] = await Promise.all([start("hosted"), start("generic")]);
  hosts = { hosted, generic };
  for (const host of [hosted, generic]) {
    const files = { "README.md": "# Widget\n" };
    for (const name of ["widget", "gadget"])
      await host.createRepository({ org: "acme", name, private: true, files });
  }
  everything = await startEverything();
  mcp = await startBearerProxy(
    everything.port,
    SCANNER.add("the vault's token", randomBytes(24).toString("hex")),
  );
  settings = {
    BERTH_HOSTED_PROVIDERS: JSON.stringify([
      { host: hosted.host, token_env: ["GH_TOKEN"], ca_file: hosted.caFile },
    ]),
    BERTH_GIT_CA_FILES: JSON.stringify([{ host: generic.host, ca_file: generic.caFile }]),
    BERTH_EGRESS_ALLOW_PRIVATE: [hosted.host, generic.host, new URL(mcp.url).host].join(" "),
    BERTH_LOG_LEVEL: "debug",
  };
});
after(async () => {
  await Promise.all(Object.values(hosts).map((host) => host.stop()));
  mcp.stop();
  await everything.stop();
  await rm(directory, { recursive: true, force: true });
});

function token(name: string, host: GitHost, permissions: "read" | "write" = "write"): string {
  return SCANNER.add(name, host.createToken({ user: "robot", permissions }));
}

async function open(
  api: Api,
  resources: AnyJson[],
  fields: AnyJson = {},
  vault_ids: string[] = [],
): Promise<AnyJson> {
  const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api, fields)]);
  const body = { agent: agent.id, environment_id: environment.id, resources, vault_ids };
  const headers = { "idempotency-key": randomBytes(8).toString("hex") };
  const response = await api.call("POST", "/sessions", body, { headers });
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body;
}

const hosted = (secret: string, fields: AnyJson = {}) => ({
  type: "hosted_repository",
  url: `${hosts.hosted.url}/acme/widget`,
  authorization_token: secret,
  ...fields,
});
const generic = (secret: string, fields: AnyJson = {}) => ({
  type: "git_repository",
  url: `${hosts.generic.url}/acme/widget`,
  username: "ann",
  password: secret,
  ...fields,
});

/**
 * Creates a session whose agent calls an MCP tool with its vault's token, then with a token that the server
 * rejects.
 */
async function callMcp(api: Api): Promise<AnyJson> {
  const url = mcp.url;
  const allowed = { default_config: { permission_policy: { type: "always_allow" } } };
  const agent = await makeAgent(api, {
    mcp_servers: [{ type: "url", name: "all", url }],
    tools: [{ type: "agent_toolset_20260401" }, { type: "mcp_toolset", mcp_server_name: "all", ...allowed }],
  });
  const config = { type: "cloud", networking: { type: "limited", allow_mcp_servers: true } };
  const environment = await makeEnvironment(api, { config });
  const vault = await api.ok("POST", "/vaults", { display_name: "keys" });
  const credentials = `/vaults/${vault.id}/credentials`;
  const auth = { type: "static_bearer", mcp_server_url: url, token: mcp.token };
  const credential = await api.ok("POST", credentials, { auth });
  const body = { agent: agent.id, environment_id: environment.id, vault_ids: [vault.id] };
  const session = await api.ok("POST", "/sessions", body);
  const echo = { tool: "mcp__all__echo", input: { message: "hello" } };
  const all = bash("env; cat /proc/self/environ /proc/*/cmdline");
  const events = await runTurn(api, session.id, echo, all);
  const mcpResults = events.filter(({ type }) => type === "agent.mcp_tool_result");
  assert.deepEqual(
    mcpResults.map(({ is_error: failed, content }) => [failed, content[0].text]),
    [[false, "Echo: hello"]],
  );
  // The server echoes the rejected token, as a careless one does.
  mcp.token = "another";
  const token = SCANNER.add("a rejected token", randomBytes(24).toString("hex"));
  await api.ok("POST", `${credentials}/${credential.id}`, { auth: { type: "static_bearer", token } });
  await runTurn(api, session.id, echo);
  await api.ok("GET", credentials);
  await api.ok("POST", `${credentials}/${credential.id}/archive`);
  return session;
}

/** Writes a file with a secret between random bytes, to check the search itself. */
async function writeCanary(dataDir: string): Promise<string> {
  const file = join(dataDir, "canary");
  const secret = SCANNER.add("a canary of the search", randomBytes(16).toString("hex"));
  await writeFile(file, Buffer.concat([randomBytes(100_000), Buffer.from(secret), randomBytes(100_000)]));
  return file;
}

/** Creates a session that uses proxied credentials. */
async function useProxiedCredentials(api: Api): Promise<AnyJson> {
  const vault = await api.ok("POST", "/vaults", { display_name: "keys" });
  const { host } = hosts.hosted;
  const auth = {
    type: "environment_variable",
    secret_name: "API_KEY",
    secret_value: token("a vault's variable", hosts.hosted),
    networking: { allowed_hosts: [host] },
  };
  await api.ok("POST", `/vaults/${vault.id}/credentials`, { auth });
  const resources = [
    hosted(token("a proxied token", hosts.hosted)),
    generic(token("a proxied password", hosts.generic)),
  ];
  const session = await open(api, resources, { credentials: "proxy" }, [vault.id]);
  const [used, shown] = toolResults(
    await runTurn(
      api,
      session.id,
      bash(
        `git -C /data/widget fetch && git -C /data/widget-2 fetch && gh api /user && curl -sS -H "Authorization: token $API_KEY" https://${host}/api/v3/user`,
      ),
      bash("env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'"),
    ),
  );
  assert.equal((used ?? "").split('"login":"robot"').length, 3, String(used));
  assert.match(shown ?? "", /API_KEY=berth/);
  return session;
}

/** Returns the whole database as text, as in a backup. */
async function dump(berth: Berth): Promise<string> {
  const lines = (await readFile(`${berth.dataDir}/postgres/cluster/postmaster.pid`, "utf8")).split("\n");
  const [port = "", socket = ""] = lines.slice(3);
  const options = ["--host", socket, "--port", port, "--username", "berth", "berth"];
  const password = await readFile(`${berth.dataDir}/postgres/password`, "utf8");
  const env = { ...process.env, PGPASSWORD: password };
  return (await run(`${POSTGRES_BIN}/pg_dump`, options, { maxBuffer: 1 << 28, env })).stdout;
}

covers(
  ["secrets-nowhere", "repo-token-secret"],
  "credentials of every kind: in no response, log, process, dump or file",
  async (t) => {
    const trace = join(directory, "execs");
    const berth = await Berth.start({
      settings: { ...settings, BERTH_PG_BIN: POSTGRES_BIN },
      wrapper: CAN_TRACE ? straceCommand(trace) : [],
    });
    t.after(() => berth.stop());
    const api = new ScannedApi(berth.url, SCANNER.add("the API token", await berth.token()), SCANNER);
    const first = token("the hosted token", hosts.hosted);
    const password = token("the password for a server with a private certificate authority", hosts.generic);
    const withMcp = await callMcp(api);
    const proxied = await useProxiedCredentials(api);
    const session = await open(api, [hosted(first), generic(password)]);
    const path = `/sessions/${session.id}/resources`;
    const [one, two] = session.resources.map(({ id }: AnyJson) => `${path}/${id}`);

    const streamed: Promise<number> = (async () => {
      let count = 0;
      for await (const frame of readFrames(api, session.id, { query: "from=start" })) {
        SCANNER.check("a frame of the stream", JSON.stringify(frame));
        SCANNER.checkArguments();
        count += 1;
        if (frame.event === "session.status_terminated") break;
      }
      return count;
    })();
    const push = (directory: string, branch: string) =>
      bash(
        `cd ${directory} && git commit -q --allow-empty -m x && git push -q origin HEAD:refs/heads/${branch} 2>&1; echo exit $?`,
      );
    const pushed = toolResults(
      await runTurn(
        api,
        session.id,
        push("/data/widget", "one"),
        push("/data/widget-2", "two"),
        bash("env; git config --list --show-origin; cat /data/*/.git/config /proc/self/environ"),
        bash(
          "gh auth status; GIT_TRACE=1 GIT_CURL_VERBOSE=1 git -C /data/widget fetch 2>&1; git -C /data/widget remote -v",
        ),
        bash(
          'for r in /data/widget /data/widget-2; do printf %s "$GH_TOKEN" | grep -rlF -f - $r /home/agent /etc 2>/dev/null; done; echo searched',
        ),
      ),
    );
    assert.match(pushed[0] ?? "", /exit 0/);
    assert.match(pushed[1] ?? "", /exit 0/);
    assert.match(pushed[4] ?? "", /^searched/);

    hosts.hosted.revokeToken(first);
    hosts.generic.revokeToken(password);
    const failedPushes = toolResults(
      await runTurn(api, session.id, push("/data/widget", "late"), push("/data/widget-2", "late")),
    );
    for (const text of failedPushes) assert.match(text, /Authentication failed[\s\S]*exit [1-9]/);
    await api.ok("POST", one, { authorization_token: token("the rotated token", hosts.hosted) });
    await api.ok("POST", two, { password: token("the rotated password", hosts.generic) });
    const again = toolResults(
      await runTurn(api, session.id, push("/data/widget", "three"), push("/data/widget-2", "three")),
    );
    for (const text of again) assert.match(text, /exit 0/);

    const wrong = await open(api, [
      hosted(SCANNER.add("a wrong token", `ghp_${randomBytes(16).toString("hex")}`)),
      generic(SCANNER.add("a wrong password", randomBytes(16).toString("hex"))),
      hosted(token("a reader's token", hosts.hosted, "read"), {
        url: `${hosts.hosted.url}/acme/gadget`,
      }),
    ]);
    const failures = toolResults(
      await runTurn(api, wrong.id, push("/data/gadget", "refused"), bash("env | sort")),
    );
    assert.match(failures[0] ?? "", /403[\s\S]*exit [1-9]/);
    for (const [target, secret] of [
      [one, { password: SCANNER.add("a misplaced password", randomBytes(16).toString("hex")) }],
      [two, { authorization_token: SCANNER.add("a misplaced token", randomBytes(16).toString("hex")) }],
      [one, { authorization_token: `${SCANNER.add("a broken token", randomBytes(16).toString("hex"))}\n` }],
    ] as const) {
      assert.equal((await api.post(target, secret)).status, 400);
    }
    await api.call("POST", "/sessions", undefined, {
      raw: `{"resources": [{"authorization_token": "${first}", ]`,
      headers: { "content-type": "application/json" },
    });
    for (const { id } of [session, wrong, withMcp, proxied]) {
      for (const list of ["resources", "events?limit=100"]) await api.ok("GET", `/sessions/${id}/${list}`);
    }
    await api.ok("GET", "/sessions");
    await api.ok("GET", "/tokens");
    await api.ok("POST", `/sessions/${session.id}/terminate`);

    assert.ok((await streamed) > 20 && samples > 20, "frames and processes were inspected");
    const text = await dump(berth);
    assert.match(text, /COPY .*session_resources/, "the dump contains the tables");
    SCANNER.check("the dump of the database", text);
    await berth.kill("SIGTERM");
    assert.match(berth.log, /"level":/);
    SCANNER.check("the service's log", berth.log);
    SCANNER.check("the service's output", berth.output);
    const canary = await writeCanary(berth.dataDir);
    assert.throws(() => SCANNER.checkTree(berth.dataDir), /canary/, "the search finds a secret");
    await rm(canary);
    SCANNER.checkTree(berth.dataDir);
    if (!CAN_TRACE) return t.diagnostic("strace is missing: short-lived programs were not inspected");
    const programs = await readFinishedTrace(trace, berth.pid);
    for (const program of ["git", "bwrap", "initdb", "gh"])
      assert.match(programs, new RegExp(`execve(at)?\\([^\\n]*/${program}"`), `${program} was traced`);
    SCANNER.check("the arguments of a program", programs);
  },
);

covers(["secrets-rewrap"], "secrets rewrap: replaces the key, and the credentials still work", async (t) => {
  const berth = await Berth.start({ settings });
  const running = [berth];
  // Both services use the data directory of the first, which removes it, so the later one is stopped before.
  t.after(async () => {
    for (const service of running.toReversed()) await service.kill("SIGTERM");
    await berth.stop();
  });
  const api = await berth.client();
  const session = await open(api, [
    hosted(token("a token", hosts.hosted)),
    generic(token("a word", hosts.generic)),
  ]);
  await assert.rejects(berth.command("secrets", "rewrap"), /already serves .*[\s\S]*Stop it first/);
  await berth.kill("SIGTERM");
  const keyFile = join(berth.dataDir, "secret.key");
  const before = await readFile(keyFile, "utf8");

  await writeFile(keyFile, randomBytes(32).toString("base64"));
  await assert.rejects(berth.command("secrets", "rewrap"), /3 secrets are encrypted with another key/);
  await writeFile(keyFile, before);
  assert.match(await berth.command("secrets", "rewrap"), /^3 secrets have the new key\.$/);
  assert.notEqual(await readFile(keyFile, "utf8"), before);
  await assert.rejects(readFile(`${keyFile}.former`), { code: "ENOENT" });

  const own = { BERTH_SECRET_KEY_FILE: join(directory, "own.key") };
  await writeFile(own.BERTH_SECRET_KEY_FILE, randomBytes(32).toString("base64"));
  process.env.BERTH_SECRET_KEY_FILE = own.BERTH_SECRET_KEY_FILE;
  t.after(() => delete process.env.BERTH_SECRET_KEY_FILE);
  await assert.rejects(berth.command("secrets", "rewrap"), /own/);
  assert.match(await berth.command("secrets", "rewrap", "--former-key-file", keyFile), /^3 secrets/);
  assert.match(await berth.command("secrets", "rewrap", "--former-key-file", keyFile), /^0 secrets/);

  const after = await Berth.start({ dataDir: berth.dataDir, settings: { ...settings, ...own } });
  running.push(after);
  const later = await after.client();
  const texts = toolResults(
    await runTurn(later, session.id, bash("git -C widget fetch -q && git -C widget-2 fetch -q && echo ok")),
  );
  assert.match(texts[0] ?? "", /^ok/);
});
