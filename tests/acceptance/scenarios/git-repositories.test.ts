import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import { type AnyJson, type Api, type ApiResponse, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { readEventsUntil } from "../harness/stream.ts";

interface Hosts {
  /** Hosted providers. */
  first: GitHost;
  second: GitHost;
  /** A generic server; the installation has only its certificate authority. */
  generic: GitHost;
  /** A server without TLS. */
  plain: GitHost;
}

let directory: string;
let hosts: Hosts;
let berth: Berth;
let api: Api;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "git-hosts-"));
  const start = (name: string, plain?: true) =>
    startGitHost({ dir: join(directory, name), ...(plain ? { plain } : {}) });
  const [first, second, generic, plain] = await Promise.all([
    start("first"),
    start("second"),
    start("generic"),
    start("plain", true),
  ]);
  hosts = { first, second, generic, plain };
  const files = { "README.md": "# Widget\n" };
  const all = Object.values(hosts);
  await Promise.all(
    all.map((host) => host.createRepository({ org: "acme", name: "widget", private: true, files })),
  );
  await generic.createRepository({ org: "group/team/deep", name: "widget", private: true, files });
  const providers = [
    { host: first.host, token_env: ["GH_TOKEN"], ca_file: first.caFile },
    { host: second.host, token_env: ["SECOND_TOKEN", "SECOND_CLI_TOKEN"], ca_file: second.caFile },
  ];
  berth = await Berth.start({
    settings: {
      BERTH_HOSTED_PROVIDERS: JSON.stringify(providers),
      BERTH_GIT_CA_FILES: JSON.stringify([{ host: generic.host, ca_file: generic.caFile }]),
      BERTH_GIT_HTTP_HOSTS: plain.host,
      BERTH_EGRESS_ALLOW_PRIVATE: all.map(({ host }) => host).join(","),
    },
  });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  await Promise.all(Object.values(hosts).map((host) => host.stop()));
  await rm(directory, { recursive: true, force: true });
});

async function create(...resources: AnyJson[]): Promise<ApiResponse> {
  const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api)]);
  return api.post("/sessions", { agent: agent.id, environment_id: environment.id, resources });
}

async function open(...resources: AnyJson[]): Promise<AnyJson> {
  const { status, body } = await create(...resources);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

function writer(host: GitHost): string {
  return host.createToken({ user: "robot", permissions: "write" });
}

const git = (url: string, fields: AnyJson = {}) => ({ type: "git_repository", url, ...fields });
const digest = (secret: string) => createHash("sha256").update(secret).digest("hex");

covers(
  ["git-repo-kind"],
  "git_repository url: any depth and port; credentials, queries and other schemes are rejected",
  async () => {
    const good = [
      "https://git.example.com/hello.git",
      "https://git.example.com:8443/a/b/c/d/hello",
      "https://git.example.com/~user/my%20repo.git",
      `${hosts.plain.url}/acme/widget`,
    ];
    const { resources } = await open(
      ...good.map((url, index) => git(url, { mount_path: `/data/r${index}` })),
    );
    assert.deepEqual(
      resources.map(({ url }: AnyJson) => url),
      good,
    );
    for (const bad of [
      "http://git.example.com/a/b",
      `http://${hosts.generic.host}/acme/widget`,
      "https://user@git.example.com/a/b",
      "https://user:pass@git.example.com/a/b",
      "https://git.example.com/a/b?service=x",
      "https://git.example.com/a/b#x",
      "https://git.example.com/",
      "https://git.example.com",
      "https://git.example.com/a//b",
      "https://git.example.com/a/../b",
      "https://git.example.com/a/%2e%2E/b",
      "https://git.example.com/a/b%0ahost=evil",
      "https://git.example.com/a%2Fb",
      "https://git.example.com/a/%zz",
      "https://git.example.com/a b",
      "https://git.example.com:99999/a",
      "https://1.2.3.4.5/a",
      "https://10.0.0.1/a",
      "https://a..example/b",
      "https://a-.example/b",
      "https://0x7f.1/a",
      "ssh://git@git.example.com/a/b",
      "git://git.example.com/a/b",
      "file:///etc",
      "ext::sh -c id",
      "--upload-pack=id",
      "",
      5,
    ]) {
      assertError(await create(git(bad as string)), 400, "invalid_request_error", {
        param: "resources[0].url",
      });
    }
    const fields: [AnyJson, string][] = [
      [{ authorization_token: "x" }, "authorization_token"],
      [{ username: "a:b" }, "username"],
      [{ username: "a\nb" }, "username"],
      [{ password: "a\nb" }, "password"],
      [{ password: "" }, "password"],
    ];
    for (const [field, name] of fields) {
      const response = await create(git("https://git.example.com/a", field));
      assertError(response, 400, "invalid_request_error", { param: `resources[0].${name}` });
    }
  },
);

covers(
  ["git-repo-shape"],
  "git_repository: has the documented fields without the password; default mounts are numbered",
  async () => {
    const password = "pw_canary7Jq2mVxK0";
    const checkout = { type: "branch", name: "main" };
    const commit = { type: "commit", sha: "12".repeat(20) };
    const tag = { type: "tag", name: "v1" };
    const ref = { type: "ref", name: "refs/pull/1/head" };
    const session = await open(
      { type: "hosted_repository", url: `${hosts.first.url}/acme/widget` },
      git("https://git.example.com/x/widget.git", { username: "ann", password, checkout }),
      git("https://git.example.com/y/widget"),
      git("https://git.example.com/z/widget", { checkout: commit }),
      git("https://git.example.com/z/other", { checkout: tag }),
      git("https://git.example.com/z/third", { checkout: ref }),
    );
    for (const wrong of [
      { type: "branch", name: "refs/pull/1/head" },
      { type: "tag", name: "refs/tags/v1" },
      { type: "ref", name: "pull/1/head" },
      { type: "ref", name: "refs/pull" },
    ]) {
      const refused = await create(git("https://git.example.com/z/other", { checkout: wrong }));
      assertError(refused, 400, "invalid_request_error", {
        param: "resources[0].checkout.name",
        message: /'ref'|such as 'refs\/pull\/1\/head'/,
      });
    }
    const [, { id, created_at: created, updated_at: updated, ...rest }, other, ...last] = session.resources;
    assert.deepEqual(
      last.map((one: AnyJson) => one.checkout),
      [commit, tag, ref],
    );
    assert.match(id, /^sesr_/);
    assert.deepEqual([typeof created, typeof updated], ["string", "string"]);
    assert.deepEqual(rest, {
      type: "git_repository",
      url: "https://git.example.com/x/widget.git",
      username: "ann",
      mount_path: "/data/widget-2",
      checkout,
      connection_id: null,
      access: null,
      environment: null,
      error: null,
    });
    assert.deepEqual([other.mount_path, other.username, other.checkout], ["/data/widget-3", null, null]);
    const path = `/sessions/${session.id}/resources`;
    for (const response of [
      session,
      await api.ok("GET", `/sessions/${session.id}`),
      await api.ok("GET", path),
      await api.ok("GET", `${path}/${id}`),
      await api.ok("POST", `${path}/${id}`, { password: `${password}-2` }),
    ]) {
      assert.ok(!JSON.stringify(response).includes(password));
    }
    const given = git("https://git.example.com/x/y");
    const collision = await create(
      { ...given, mount_path: "/data/x/y" },
      { type: "hosted_repository", url: `${hosts.first.url}/acme/widget`, mount_path: "/data/x" },
    );
    assertError(collision, 400, "invalid_request_error", { param: "resources[1].mount_path" });
  },
);

covers(["git-repo-mounted"], "git_repository: cloned and pushed to with user name and password", async () => {
  const { generic } = hosts;
  const password = writer(generic);
  const session = await open(
    git(`${generic.url}/group/team/deep/widget.git`, { username: "ann", password, mount_path: "/work/w" }),
  );
  const texts = toolResults(
    await runTurn(
      api,
      session.id,
      bash("cd /work/w && git checkout -q -b change && echo two >> README.md && git commit -qam 'Say two'"),
      bash("git push -q origin change && git rev-parse HEAD"),
      bash("env | grep -E '^(GH_|SECOND)' | grep -v PROMPT | grep -v NOTIFIER; echo none"),
      bash(`curl -sS -o /dev/null -w '%{http_code}' ${generic.url}/api/v3/user`),
    ),
  );
  const commit = /[0-9a-f]{40}/.exec(texts[1] ?? "")?.[0];
  assert.equal(await generic.head("group/team/deep", "widget", "change"), commit, texts.join("\n"));
  assert.match(texts[2] ?? "", /^none/, "no token of a provider's CLI");
  assert.match(
    texts[3] ?? "",
    /^401/,
    "the sandbox trusts its certificate authority, and egress allows its port",
  );
  assert.ok(generic.requests.some(({ user, status }) => user === "ann" && status === 200));
});

covers(
  ["git-repo-http"],
  "git_repository: cloned over http when the installation allows the host",
  async () => {
    const { plain } = hosts;
    const session = await open(git(`${plain.url}/acme/widget`, { password: writer(plain) }));
    const [text] = toolResults(
      await runTurn(api, session.id, bash("cd widget && cat README.md && git fetch -q && echo ok")),
    );
    assert.match(text ?? "", /# Widget\nok/);
  },
);

covers(["git-repo-rotation", "repo-401"], "rotate password: an open shell uses the new one", async () => {
  const { generic } = hosts;
  const first = writer(generic);
  const session = await open(git(`${generic.url}/acme/widget`, { username: "ann", password: first }), {
    type: "hosted_repository",
    url: `${hosts.first.url}/acme/widget`,
    authorization_token: writer(hosts.first),
  });
  const [repository, hosted] = session.resources.map(
    ({ id }: AnyJson) => `/sessions/${session.id}/resources/${id}`,
  );
  const fetch = bash("git fetch -q 2>&1; echo exit $? $marker");
  assert.match(
    toolResults(await runTurn(api, session.id, bash("cd /data/widget; marker=same-shell"), fetch))[1] ?? "",
    /^exit 0 same-shell/,
  );
  generic.revokeToken(first);
  assert.match(
    toolResults(await runTurn(api, session.id, fetch))[0] ?? "",
    /(401|Authentication failed)[\s\S]*exit 128 same-shell/,
  );
  assertError(await api.post(repository, { authorization_token: "x" }), 400, "invalid_request_error", {
    param: "authorization_token",
  });
  assertError(await api.post(hosted, { password: "x" }), 400, "invalid_request_error", {
    param: "password",
  });
  assertError(
    await api.post(hosted, { password: "x", authorization_token: "y" }),
    400,
    "invalid_request_error",
  );
  assertError(await api.post(repository, {}), 400, "invalid_request_error");
  const second = writer(generic);
  const rotated = await api.ok("POST", repository, { password: second });
  assert.deepEqual([rotated.type, rotated.username], ["git_repository", "ann"]);
  assert.match(toolResults(await runTurn(api, session.id, fetch))[0] ?? "", /^exit 0 same-shell/);
});

covers(
  ["git-repo-rotation", "repo-rotation"],
  "rotate password: a failed clone is retried with the new one",
  async () => {
    const { generic } = hosts;
    const session = await open(git(`${generic.url}/acme/widget`, { password: "wrong" }));
    const failed = (events: AnyJson[]) => events.filter(({ type }) => type === "session.error");
    const events = await readEventsUntil(api, session.id, ({ type }) => type === "session.error");
    assert.equal(failed(events)[0].error.type, "repository_authentication_error");
    await api.ok("POST", `/sessions/${session.id}/resources/${session.resources[0].id}`, {
      password: writer(generic),
    });
    await readEventsUntil(api, session.id, ({ type }) => type === "session.resource_ready");
    assert.match(
      toolResults(await runTurn(api, session.id, bash("cat widget/README.md")))[0] ?? "",
      /# Widget/,
    );
  },
);

covers(["hosted-several", "repo-cli-token"], "hosted providers: two, each with its own token", async () => {
  const { first, second } = hosts;
  const [one, two] = [writer(first), writer(second)];
  const session = await open(
    { type: "hosted_repository", url: `${first.url}/acme/widget`, authorization_token: one },
    { type: "hosted_repository", url: `${second.url}/acme/widget`, authorization_token: two },
  );
  const hash = (name: string) => `printf %s "$${name}" | sha256sum | cut -d' ' -f1`;
  const push = (directory: string) =>
    `cd ${directory} && git commit -q --allow-empty -m x && git push -q origin HEAD:refs/heads/agent && echo pushed`;
  const texts = toolResults(
    await runTurn(
      api,
      session.id,
      bash(["GH_TOKEN", "SECOND_TOKEN", "SECOND_CLI_TOKEN"].map(hash).join("; ")),
      bash(push("/data/widget")),
      bash(push("/data/widget-2")),
      bash(`git ls-remote ${first.url}/acme/other 2>&1; echo exit $?`),
    ),
  );
  assert.deepEqual(texts[0]?.trim().split("\n").slice(0, 3), [one, two, two].map(digest));
  assert.match(texts[1] ?? "", /^pushed/);
  assert.match(texts[2] ?? "", /^pushed/);
  for (const host of [first, second]) assert.notEqual(await host.head("acme", "widget", "agent"), null);
  assert.match(texts[3] ?? "", /exit 128/, "another repository of the host gets no credential");
  const foreign = await create({ type: "hosted_repository", url: `${hosts.generic.url}/acme/widget` });
  assertError(foreign, 400, "invalid_request_error", { param: "resources[0].url" });
});
