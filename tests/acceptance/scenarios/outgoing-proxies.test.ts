import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import {
  type BearerProxy,
  type EverythingServer,
  startBearerProxy,
  startEverything,
} from "../../mcp-host/mcp-host.ts";
import type { AnyJson, Api, Json } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { type ChatEndpoint, startChatEndpoint } from "../harness/chat-endpoint.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { startTinyproxy, type Tinyproxy } from "../harness/tinyproxy.ts";

const PASSWORD = "hunter2-of-the-proxy";

let directory: string;
let proxy: Tinyproxy;
let host: GitHost;
let chat: ChatEndpoint;
let near: ChatEndpoint;
let everything: EverythingServer;
let mcp: BearerProxy;
let berth: Berth;
let api: Api;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "outgoing-"));
  proxy = await startTinyproxy(directory, "berth", PASSWORD);
  host = await startGitHost({ dir: join(directory, "git") });
  await host.createRepository({ org: "acme", name: "widget", private: true, files: { "w.txt": "widget\n" } });
  // Connections to 127.0.0.1 bypass the proxy.
  chat = await startChatEndpoint("127.0.0.2");
  near = await startChatEndpoint("127.0.0.3");
  everything = await startEverything();
  mcp = await startBearerProxy(everything.port, "token-of-mcp");
  const providers = {
    far: { kind: "openai-compatible", base_url: chat.url },
    near: { kind: "openai-compatible", base_url: near.url },
  };
  const models = { providers, models: [{ id: "far/quiet" }, { id: "near/quiet" }] };
  await writeFile(join(directory, "models.json"), JSON.stringify(models));
  const provider = { host: host.host, token_env: ["GH_TOKEN"], ca_file: host.caFile };
  berth = await Berth.start({
    settings: {
      BERTH_MODELS_FILE: join(directory, "models.json"),
      BERTH_HOSTED_PROVIDERS: JSON.stringify([provider]),
      BERTH_EGRESS_ALLOW_PRIVATE: `${host.host},mcp.localhost:${portOf(mcp.url)}`,
      BERTH_CLONE_RETRY_SECONDS: "",
      BERTH_HTTP_PROXY: `http://berth:${PASSWORD}@${proxy.host}`,
      BERTH_NO_PROXY: "127.0.0.3",
      // An empty value means none.
      HTTPS_PROXY: "",
    },
  });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  mcp.stop();
  await Promise.all([host.stop(), chat.close(), near.close(), everything.stop(), proxy.stop()]);
  await rm(directory, { recursive: true, force: true });
});

const portOf = (url: string) => new URL(url).port;

async function makeSession(agent: Record<string, Json>, session: Record<string, Json> = {}): Promise<string> {
  const networking = { type: "limited", allow_mcp_servers: true };
  const environment = await makeEnvironment(api, { config: { type: "cloud", networking } });
  const { id } = await makeAgent(api, agent);
  return (await api.ok("POST", "/sessions", { agent: id, environment_id: environment.id, ...session })).id;
}

async function makeCloningSession(): Promise<string> {
  const secret = host.createToken({ user: "robot", permissions: "read" });
  const url = `${host.url}/acme/widget`;
  const resources = [{ type: "hosted_repository", url, authorization_token: secret }];
  return await makeSession({}, { resources });
}

covers(["outgoing-proxies"], "outgoing proxies: a model is reached through the proxy", async () => {
  const events = await runTurn(api, await makeSession({ model: "far/quiet", tools: [] }), "Hello");
  assert.equal(events.find(({ type }) => type === "agent.message")?.content[0].text, "Done.");
  assert.match(proxy.log(), new RegExp(`(POST http://|CONNECT )127\\.0\\.0\\.2:${portOf(chat.url)}`));
});

covers(["outgoing-proxies"], "outgoing proxies: what BERTH_NO_PROXY names is reached directly", async () => {
  await runTurn(api, await makeSession({ model: "near/quiet", tools: [] }), "Hello");
  assert.equal(near.requests.length, 1);
  assert.doesNotMatch(proxy.log(), /127\.0\.0\.3/);
});

covers(
  ["outgoing-proxies"],
  "outgoing proxies: a repository, for service and sandbox, by address",
  async () => {
    const events = await runTurn(api, await makeCloningSession(), bash("cat widget/w.txt"));
    assert.deepEqual(toolResults(events), ["widget"]);
    const connected = proxy.log().match(new RegExp(`CONNECT 127\\.0\\.0\\.1:${host.port} `, "g")) ?? [];
    assert.ok(connected.length >= 2, proxy.log());
    assert.ok(host.requests.length > 0);
  },
);

covers(["outgoing-proxies"], "outgoing proxies: an MCP server is reached through the proxy", async () => {
  const url = mcp.url.replace("127.0.0.1", "mcp.localhost");
  const vault = await api.ok("POST", "/vaults", { display_name: "keys" });
  const auth = { type: "static_bearer", mcp_server_url: url, token: "token-of-mcp" };
  await api.ok("POST", `/vaults/${vault.id}/credentials`, { auth });
  const id = await makeSession(
    {
      mcp_servers: [{ type: "url", name: "all", url }],
      tools: [
        {
          type: "mcp_toolset",
          mcp_server_name: "all",
          default_config: { permission_policy: { type: "always_allow" } },
        },
      ],
    },
    { vault_ids: [vault.id] },
  );
  const events = await runTurn(api, id, { tool: "mcp__all__echo", input: { message: "through" } });
  const results = events.filter(({ type }: AnyJson) => type === "agent.mcp_tool_result");
  assert.match(JSON.stringify(results), /through/);
  assert.match(proxy.log(), new RegExp(`CONNECT 127\\.0\\.0\\.1:${portOf(mcp.url)} `));
});

covers(["outgoing-proxies"], "outgoing proxies: one that is down → errors without its password", async () => {
  await proxy.stop();
  const requests = chat.requests.length;
  const turn = await runTurn(api, await makeCloningSession(), bash("true"));
  assert.ok(turn.some(({ type }) => type === "session.error"));
  await berth.logged(/The outgoing proxy 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\./);
  assert.doesNotMatch(berth.log + JSON.stringify(turn), new RegExp(PASSWORD));
  assert.equal(chat.requests.length, requests);
  const asked = await runTurn(api, await makeSession({ model: "far/quiet", tools: [] }), "Hello");
  const failed = asked.find(({ type }) => type === "session.error")?.error;
  assert.equal(failed.message, `far could not be reached through the outgoing proxy ${proxy.host}.`);
  assert.equal(chat.requests.length, requests);
});
