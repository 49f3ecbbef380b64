import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import type { AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { type ChatEndpoint, startChatEndpoint } from "../harness/chat-endpoint.ts";
import { covers } from "../harness/covers.ts";
import { makeAgent, makeEnvironment, waitForTurn } from "../harness/fixtures.ts";

let directory: string;
let host: GitHost;
let chat: ChatEndpoint;
let berth: Berth;
let api: Api;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "placeholder-prompt-"));
  host = await startGitHost({ dir: directory });
  await host.createRepository({ org: "acme", name: "widget", private: true, files: { "w.txt": "w\n" } });
  chat = await startChatEndpoint();
  const providers = { local: { kind: "openai-compatible", base_url: chat.url } };
  const models = { providers, models: [{ id: "local/quiet" }] };
  await writeFile(join(directory, "models.json"), JSON.stringify(models));
  const provider = { host: host.host, token_env: ["GH_TOKEN", "FORGE_TOKEN"], ca_file: host.caFile };
  berth = await Berth.start({
    settings: {
      BERTH_MODELS_FILE: join(directory, "models.json"),
      BERTH_HOSTED_PROVIDERS: JSON.stringify([provider]),
      BERTH_EGRESS_ALLOW_PRIVATE: host.host,
    },
  });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  await Promise.all([host.stop(), chat.close()]);
  await rm(directory, { recursive: true, force: true });
});

const variable = (secret_name: string, ...allowed_hosts: string[]): AnyJson => ({
  auth: {
    type: "environment_variable",
    secret_name,
    secret_value: `canary-of-${secret_name}`,
    networking: { allowed_hosts },
  },
});

async function vaultWith(
  ...variables: AnyJson[]
): Promise<{ path: string; id: string; credentials: AnyJson[] }> {
  const { id } = await api.ok("POST", "/vaults", { display_name: "keys" });
  const path = `/vaults/${id}/credentials`;
  const credentials: AnyJson[] = [];
  for (const body of variables) credentials.push(await api.ok("POST", path, body));
  return { path, id, credentials };
}

async function open(credentials: string, vaults: string[], token?: string): Promise<AnyJson> {
  const agent = await makeAgent(api, { model: "local/quiet" });
  const environment = await makeEnvironment(api, { credentials });
  const repository = {
    type: "hosted_repository",
    url: `${host.url}/acme/widget`,
    authorization_token: `${token}`,
  };
  return await api.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    vault_ids: vaults,
    resources: token === undefined ? [] : [repository],
  });
}

/** Returns the system prompt of the model request for a new message. */
async function systemPrompt({ id }: AnyJson): Promise<string> {
  const before = chat.requests.length;
  const events = [{ type: "user.message", content: [{ type: "text", text: "Go on." }] }];
  const sent = await api.ok("POST", `/sessions/${id}/events`, { events });
  await waitForTurn(api, id, sent.data[0].id);
  assert.equal(chat.requests.length, before + 1);
  const [{ role, content }] = chat.requests.at(-1)?.messages ?? [];
  assert.equal(role, "system");
  return content;
}

const placeholderLine = (text: string) =>
  /^- (These variables hold placeholders.*)$/m.exec(text)?.[1] ?? null;

covers(
  ["placeholders-told"],
  "system prompt: names the variables with placeholders and their hosts, unchanged for the session's life",
  async () => {
    const token = host.createToken({ user: "robot", permissions: "read" });
    const vault = await vaultWith(variable("API_KEY", "api.example", "*.api.example"));
    const session = await open("proxy", [vault.id], token);
    const first = await systemPrompt(session);
    const line = placeholderLine(first) ?? "";
    const named = `API_KEY (for api.example, *.api.example); FORGE_TOKEN, GH_ENTERPRISE_TOKEN, GH_TOKEN (for ${host.host})`;
    assert.ok(line.startsWith(`These variables hold placeholders, not secrets: ${named}. `), first);
    assert.match(line, /real value takes the placeholder's place on the way; nowhere else does it work/);
    assert.ok(!first.includes(token) && !first.includes("canary-of"));
    await api.ok("POST", vault.path, variable("LATER", "later.example"));
    await api.ok("POST", `${vault.path}/${vault.credentials[0]?.id}/archive`);
    assert.equal(await systemPrompt(session), first);
  },
);

covers(
  ["placeholders-told"],
  "system prompt: names only placeholders, and says nothing when there are none",
  async () => {
    const token = host.createToken({ user: "robot", permissions: "read" });
    assert.equal(placeholderLine(await systemPrompt(await open("proxy", []))), null);
    assert.equal(placeholderLine(await systemPrompt(await open("inject", [], token))), null);
    // The repository's token takes precedence over the vault's variable of that name.
    const vault = await vaultWith(variable("FORGE_TOKEN", "a.example"), variable("KEY", "b.example"));
    await api.ok("POST", `${vault.path}/${vault.credentials[1]?.id}/archive`);
    await api.ok("POST", vault.path, variable("KEY", "c.example"));
    const line = placeholderLine(await systemPrompt(await open("inject", [vault.id], token)));
    assert.match(line ?? "", /not secrets: KEY \(for c\.example\)\. /);
  },
);
