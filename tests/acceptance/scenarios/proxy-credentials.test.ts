import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import type { GitHost } from "../../git-host/git-host.ts";
import { startGitHubHost } from "../../git-host/github-host.ts";
import { type AnyJson, type Api, assertError, type Json } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { type EchoHost, startEchoHost } from "../harness/echo-host.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { type InspectionCounts, inspectSandboxes } from "../harness/inspect-sandboxes.ts";
import { ScannedApi, SecretScanner } from "../harness/secret-scanner.ts";
import { waitUntil } from "../harness/wait-until.ts";

const SCANNER = new SecretScanner();
const IS_ROOT = process.getuid?.() === 0;

let directory: string;
let host: GitHost;
let plain: GitHost;
let echo: EchoHost;
let berth: Berth;
let api: Api;
/** Called while a git request is held, so that the program in the sandbox still has the request in memory. */
let onRequest: () => void = () => undefined;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "proxy-"));
  host = await startGitHubHost({ dir: join(directory, "git"), onRequest: () => onRequest() });
  for (const name of ["widget", "gadget"]) {
    await host.createRepository({ org: "acme", name, private: true, files: { "README.md": "# One\n" } });
  }
  plain = await startGitHubHost({ dir: join(directory, "plain"), plain: true });
  await plain.createRepository({ org: "acme", name: "plain", private: true, files: { a: "a\n" } });
  echo = await startEchoHost(join(directory, "echo"), ["api.localhost", "other.localhost"]);
  berth = await Berth.start({
    settings: {
      BERTH_HOSTED_PROVIDERS: JSON.stringify([
        { host: host.host, token_env: ["GH_TOKEN", "FORGE_TOKEN"], ca_file: host.caFile },
      ]),
      BERTH_GIT_CA_FILES: JSON.stringify([{ host: "api.localhost", ca_file: echo.caFile }]),
      BERTH_GIT_HTTP_HOSTS: plain.host,
      BERTH_EGRESS_ALLOW_PRIVATE: [host.host, plain.host, hostPort("api"), hostPort("other")].join(" "),
      BERTH_LOG_LEVEL: "debug",
    },
  });
  api = new ScannedApi(berth.url, await berth.token(), SCANNER);
});
after(async () => {
  await berth.stop();
  await Promise.all([host.stop(), plain.stop(), echo.stop()]);
  await rm(directory, { recursive: true, force: true });
  SCANNER.check("the service's log", berth.log);
});

const hostPort = (name: string) => `${name}.localhost:${echo.port}`;

function secret(name: string, permissions: "read" | "write" = "write"): string {
  return SCANNER.add(name, host.createToken({ user: "robot", permissions }));
}

function environment(credentials: string, hosts = [hostPort("api"), hostPort("other")]): Promise<AnyJson> {
  const config = { type: "cloud", networking: { type: "limited", allowed_hosts: hosts } };
  return makeEnvironment(api, { credentials, config });
}

async function open(environment: AnyJson, fields: Record<string, Json> = {}): Promise<AnyJson> {
  const agent = await makeAgent(api);
  return api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id, ...fields });
}

const repository = (token: string, name = "widget") => ({
  type: "hosted_repository",
  url: `${host.url}/acme/${name}`,
  authorization_token: token,
});

async function vaultWith(...variables: [name: string, value: string, host: string][]): Promise<AnyJson> {
  const vault = await api.ok("POST", "/vaults", { display_name: "keys" });
  const credentials = [];
  for (const [secret_name, secret_value, name] of variables) {
    const auth = {
      type: "environment_variable",
      secret_name,
      secret_value,
      networking: { allowed_hosts: [name] },
    };
    credentials.push(await api.ok("POST", `/vaults/${vault.id}/credentials`, { auth }));
  }
  return { id: vault.id, credentials };
}

async function run(session: AnyJson, ...commands: string[]): Promise<string[]> {
  return toolResults(await runTurn(api, session.id, ...commands.map(bash)));
}

covers(["environment-credentials"], "environment credentials: inject by default, or proxy", async () => {
  const made = await makeEnvironment(api);
  assert.equal(made.credentials, "inject");
  const path = `/environments/${made.id}`;
  assert.equal((await api.ok("POST", path, { credentials: "proxy" })).credentials, "proxy");
  assert.equal((await api.ok("POST", path, { description: "x" })).credentials, "proxy");
  assert.equal((await api.ok("GET", path)).credentials, "proxy");
  assert.equal((await api.ok("POST", path, { credentials: null })).credentials, "inject");
  for (const credentials of ["none", "", true]) {
    assertError(await api.post(path, { credentials }), 400, "invalid_request_error", {
      param: "credentials",
    });
  }
});

covers(
  ["proxy-credentials", "environment-credentials"],
  "proxy credentials: git, gh and curl work, and the container contains no token",
  async (t) => {
    const [token, password] = [secret("a token"), secret("a password")];
    const plainPassword = plain.createToken({ user: "robot", permissions: "write" });
    SCANNER.add("a password over http", plainPassword);
    const env = await environment("proxy");
    const generic = { type: "git_repository", url: `${host.url}/acme/gadget`, username: "ann", password };
    const http = { ...generic, url: `${plain.url}/acme/plain`, password: plainPassword };
    const session = await open(env, { resources: [repository(token), generic, http] });
    const seen: InspectionCounts = { processes: 0, memory: 0, files: 0 };
    const findings: unknown[] = [];
    onRequest = () => {
      if (!IS_ROOT) return;
      try {
        const counts = inspectSandboxes(berth.pid, SCANNER);
        for (const key of Object.keys(seen) as (keyof InspectionCounts)[]) seen[key] += counts[key];
      } catch (error) {
        findings.push(error);
      }
    };
    t.after(() => (onRequest = () => undefined));
    // The push is large enough that git sends a chunked body.
    const push = (directory: string) =>
      `cd /data/${directory} && head -c 3000000 /dev/urandom >big && git add big && git commit -q -m x && git push -q origin HEAD:refs/heads/side 2>&1; echo exit $?`;
    const texts = await run(
      session,
      push("widget"),
      push("gadget"),
      push("plain"),
      "gh auth status 2>&1; gh api /user --jq .login; gh api graphql -f query='{viewer{login}}' --jq .data.viewer.login",
      `curl -sS -H "Authorization: token $GH_TOKEN" ${host.url}/api/v3/user`,
      "git clone -q $(git -C /data/widget remote get-url origin) /data/again && ls /data/again",
      "env; cat /proc/*/environ | tr '\\0' '\\n'; git config --list; cat /data/*/.git/config",
    );
    assert.match(texts[0] ?? "", /exit 0/);
    assert.match(texts[1] ?? "", /exit 0/);
    assert.match(texts[2] ?? "", /exit 0/);
    assert.match(texts[3] ?? "", /Logged in to git.localhost.* as robot[\s\S]*\nrobot\nrobot/);
    assert.match(texts[4] ?? "", /"login":"robot"/);
    assert.match(texts[5] ?? "", /README.md/);
    assert.match(texts[6] ?? "", /GH_TOKEN=berth[0-9a-f]{31}\n/);
    assert.deepEqual(findings, []);
    if (!IS_ROOT) return t.diagnostic("not root: processes were not inspected");
    assert.ok(seen.processes > 20 && seen.memory > 1_000_000 && seen.files > 100, JSON.stringify(seen));

    // Control: with the default (inject) the same inspection finds the token.
    await api.ok("POST", `/environments/${env.id}`, { credentials: "inject" });
    await run(session, "git -C /data/widget fetch");
    assert.match(String(findings[0]), /a (token|password)/);
  },
);

covers(
  ["proxy-credentials"],
  "proxy credentials: other hosts and redirects receive the placeholder",
  async () => {
    const token = secret("a token for one place");
    const session = await open(await environment("proxy"), { resources: [repository(token)] });
    echo.requests.length = 0;
    const [first, second] = await run(
      session,
      `curl -sS -H "Authorization: token $GH_TOKEN" -u x:$GH_TOKEN 'https://${hostPort("api")}/echo?t='$GH_TOKEN; echo; curl -sS -u x:$GH_TOKEN https://${hostPort("api")}/echo`,
      `curl -sSL --location-trusted -H "Authorization: token $GH_TOKEN" https://${hostPort("api")}/to?https://${hostPort("other")}/echo`,
    );
    assert.match(first ?? "", /token berth[0-9a-f]{31}/);
    assert.match(second ?? "", /token berth/);
    assert.ok(echo.requests.length >= 4);
    for (const { all } of echo.requests) SCANNER.check("a request to another host", all);
  },
);

for (const credentials of ["inject", "proxy"]) {
  covers(
    ["other-repositories"],
    `other repositories of a host (${credentials}): reached by git with a hosted repository's token, not with a generic one's password`,
    async () => {
      const token = secret("a token for a host");
      const scp = `git@${host.host.replace(/:\d+$/, "")}:acme/gadget.git`;
      const look = `git ls-remote ${host.url}/acme/gadget HEAD; git ls-remote ${scp} HEAD; git clone -q ${scp} /data/other && ls /data/other`;
      const hosted = await open(await environment(credentials), { resources: [repository(token)] });
      const [reached] = await run(hosted, look);
      const head = await host.head("acme", "gadget", "main");
      assert.match(reached ?? "", new RegExp(`^${head}\\tHEAD\\n${head}\\tHEAD\\nREADME.md`));
      const password = secret("a password for a repository");
      const generic = { type: "git_repository", url: `${host.url}/acme/widget`, username: "x", password };
      const alone = await open(await environment(credentials), { resources: [generic] });
      const [refused] = await run(alone, `git -C /data/widget fetch && echo fetched; ${look} 2>&1`);
      assert.match(refused ?? "", /^fetched\n/);
      assert.match(refused ?? "", /could not read Username/);
      assert.doesNotMatch(refused ?? "", /README|HEAD/);
      const placeholder = `printf '%s' "$BERTH_GIT_CREDENTIALS" | sed -n 3p`;
      const use = `curl -sS -o /dev/null -w '%{http_code}' -u "x:$(${placeholder})" ${host.url}/acme/gadget/info/refs?service=git-upload-pack`;
      const [status] = await run(alone, use);
      assert.match(status ?? "", credentials === "proxy" ? /^401/ : /^200/);
    },
  );
}

covers(
  ["proxy-credential-rotation"],
  "rotated token: in the next request, also of a running command",
  async () => {
    const first = secret("the first token");
    const session = await open(await environment("proxy"), { resources: [repository(first)] });
    const [before] = await run(session, 'printf "%s" "$GH_TOKEN"');
    let requestCount = 0;
    onRequest = () => {
      requestCount += 1;
    };
    const waitForRequests = async (count: number) => {
      await waitUntil(
        () => requestCount >= count,
        () => `${requestCount} of ${count} requests were received`,
      );
    };
    const url = `${host.url}/acme/widget/info/refs?service=git-upload-pack`;
    const request = `code=$(curl -sS -u x:$GH_TOKEN -o /dev/null -w '%{http_code}' '${url}')`;
    const recovered =
      '[ "$code" = 401 ] && failed=1; if [ "$failed$code" = 1200 ]; then echo recovered; break; fi; sleep 0.02';
    const running = runTurn(api, session.id, bash(`for n in $(seq 500); do ${request}; ${recovered}; done`));
    await waitForRequests(2);
    host.revokeToken(first);
    await waitForRequests(requestCount + 2);
    const path = `/sessions/${session.id}/resources/${session.resources[0].id}`;
    await api.ok("POST", path, { authorization_token: secret("the second token") });
    assert.match(toolResults(await running)[0] ?? "", /^recovered/);
    onRequest = () => undefined;
    const [after] = await run(session, 'printf "%s" "$GH_TOKEN"; git -C /data/widget fetch && echo fetched');
    assert.ok((after ?? "").startsWith(`${(before ?? "").slice(0, 36)}fetched`), `${before} ${after}`);
  },
);

covers(
  ["vault-variables"],
  "vault variable: programs use a secret that the container does not contain",
  async (t) => {
    const key = SCANNER.add("the key", `sk-${randomBytes(20).toString("base64url")}+/=`);
    echo.registryToken = SCANNER.add("the registry's token", `npm_${randomBytes(18).toString("hex")}`);
    const own = new SecretScanner();
    own.add("the key", key);
    own.add("the registry's token", echo.registryToken);
    const vault = await vaultWith(
      ["API_KEY", key, hostPort("api")],
      ["NPM_TOKEN", echo.registryToken, hostPort("api")],
    );
    const curl = `curl -sS -i -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -d "{\\"k\\":\\"$API_KEY\\"}"`;
    const npmrc = `//${hostPort("api")}/npm/:_authToken=\${NPM_TOKEN}`;
    const install = `npm install --no-audit --no-fund --registry https://${hostPort("api")}/npm/ tiny`;
    for (const mode of ["inject", "proxy"]) {
      const session = await open(await environment(mode), { vault_ids: [vault.id] });
      echo.requests.length = 0;
      const [one, other, fetched, installed] = await run(
        session,
        `${curl} "https://${hostPort("api")}/echo?key=$API_KEY"`,
        `${curl} "https://${hostPort("other")}/echo?key=$API_KEY"`,
        `command -v node >/dev/null || { echo no node; exit; }; node -e 'fetch("https://${hostPort("api")}/node", { headers: { "x-api-key": process.env.API_KEY } }).then((response) => response.text()).then(console.log)'`,
        `command -v npm >/dev/null || { echo no npm; exit; }; mkdir -p /data/p && cd /data/p && echo '${npmrc}' >.npmrc && ${install} 2>&1 && node -p 'require("tiny")'`,
      );
      const [request, elsewhere] = echo.requests;
      assert.equal(request?.authorization, `Bearer ${key}`);
      assert.ok(
        request?.all.includes(encodeURIComponent(key)) &&
          request.all.includes(JSON.stringify(`{"k":"${key}"}`)),
      );
      for (const text of [one, other]) assert.match(text ?? "", /x-echo: Bearer sk-berth[0-9a-f]{31}\r?\n/);
      SCANNER.check("a request to another host", elsewhere?.all ?? "");
      assert.match(fetched ?? "", /x-api-key","sk-berth|no node/);
      if (/no node/.test(fetched ?? "")) t.diagnostic("no node in the sandbox");
      else assert.ok(echo.requests.some(({ line, all }) => line === "GET /node" && all.includes(key)));
      if (/no npm/.test(installed ?? "")) t.diagnostic("no npm in the sandbox");
      else assert.match(installed ?? "", /\n7\n/);
      if (IS_ROOT) inspectSandboxes(berth.pid, own);
    }
  },
);

covers(["vault-variables"], "vault variable: rotated, archived and denied values", async () => {
  const value = SCANNER.add("a value", randomBytes(16).toString("hex"));
  const vault = await vaultWith(["KEY", value, hostPort("api")], ["FAR", value, "far.example"]);
  const session = await open(await environment("inject"), { vault_ids: [vault.id] });
  const send = `curl -sS -H "X-Key: $KEY" https://${hostPort("api")}/echo`;
  const last = () => echo.requests.at(-1)?.all ?? "";
  await run(session, send);
  assert.ok(last().includes(value));
  const path = `/vaults/${vault.id}/credentials/${vault.credentials[0].id}`;
  const rotated = SCANNER.add("a rotated value", randomBytes(16).toString("hex"));
  await api.ok("POST", path, { auth: { type: "environment_variable", secret_value: rotated } });
  await run(session, `${send}; echo "$KEY" >/data/kept`);
  assert.ok(last().includes(rotated));
  await api.ok("POST", `${path}/archive`);
  await run(session, send.replace("$KEY", "$(cat /data/kept)"));
  assert.match(last(), /berth[0-9a-f]{31}/);
  const [gone] = await run(session, 'echo "<$KEY>"');
  assert.match(gone ?? "", /^<>/);
  const events = await runTurn(api, session.id, bash('curl -sS -H "X-Key: $FAR" https://far.example/'));
  assert.ok(
    events.some(({ type, host: name }) => type === "session.egress_denied" && name === "far.example"),
  );
});

covers(
  ["vault-variable-order"],
  "variables of one name: repository, vault, session, environment in this order",
  async () => {
    const [one, two] = [
      await vaultWith(
        ["NAME", "vault-one", hostPort("api")],
        ["FORGE_TOKEN", "vault-forge", hostPort("api")],
      ),
      await vaultWith(["NAME", "vault-two", hostPort("api")], ["MORE", "vault-more", hostPort("api")]),
    ];
    const env = await environment("inject");
    await api.ok("POST", `/environments/${env.id}`, {
      environment_variables: { NAME: "environment", OWN: "environment", SHARED: "environment" },
    });
    const session = await open(env, {
      vault_ids: [one.id, two.id],
      environment_variables: { NAME: "session", OWN: "session", MORE: "session" },
      resources: [repository(secret("a forge's token"))],
    });
    const send = `curl -sS -H "X: $NAME $MORE" https://${hostPort("api")}/echo`;
    const [text] = await run(
      session,
      `echo "$SHARED $OWN"; [ "$FORGE_TOKEN" = "$GH_TOKEN" ] && echo repository; ${send} >/dev/null`,
    );
    assert.match(text ?? "", /^environment session\nrepository/);
    assert.match(echo.requests.at(-1)?.all ?? "", /"vault-one vault-more"/);
  },
);
