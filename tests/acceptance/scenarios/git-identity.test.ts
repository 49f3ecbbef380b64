import assert from "node:assert/strict";
import { type AnyJson, assertError, type Json } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { sharedGitService } from "../harness/shared-service.ts";

const { host, berth, api } = await sharedGitService();
await host.createRepository({ org: "acme", name: "widget", private: true, files: { a: "a\n" } });

const person = (name: string) => ({ name, email: `${name.toLowerCase()}@example.com` });
const identity = (name: string) => ({ ...person(name), co_authored_by: null });
const COMMIT = bash(
  "cd /data && git init -q own && cd own && git commit -q --allow-empty -m change && git log -1 --format='%an <%ae> %(trailers:separator=;)'",
);

const authorIn = (texts: readonly string[]) => texts[0]?.split("\n")[0]?.trim();

/** Runs a first turn, which opens the sandbox, with a commit. Returns its author and trailers. */
async function author(session: AnyJson): Promise<string | undefined> {
  return authorIn(toolResults(await runTurn(api, session.id, COMMIT)));
}

interface Given {
  agent?: Json;
  environment?: Json;
  session?: Json;
  resources?: Json;
}

async function open({ agent, environment, session, resources }: Given): Promise<AnyJson> {
  const given = (git_identity?: Json) => (git_identity === undefined ? {} : { git_identity });
  const [{ id }, { id: environment_id }] = await Promise.all([
    makeAgent(api, given(agent)),
    makeEnvironment(api, given(environment)),
  ]);
  const body = { agent: id, environment_id, ...given(session) };
  return api.ok("POST", "/sessions", resources === undefined ? body : { ...body, resources });
}

covers(
  ["git-identity-fields"],
  "git identity: given, returned, changed and cleared on an agent, an environment and a session",
  async () => {
    const agent = await makeAgent(api, { git_identity: person("Ann") });
    assert.deepEqual(agent.git_identity, identity("Ann"));
    const shared = { ...person("Ann"), co_authored_by: person("Eve") };
    assert.deepEqual((await makeAgent(api, { git_identity: shared })).git_identity, shared);
    const owned = await makeAgent(api, { git_identity: { session_owner: "author" } });
    assert.deepEqual(owned.git_identity, {
      ...{ name: null, email: null, co_authored_by: null },
      session_owner: "author",
    });
    const changed = await api.ok("POST", `/agents/${agent.id}`, { version: 1, git_identity: person("Bob") });
    assert.deepEqual([changed.version, changed.git_identity], [2, identity("Bob")]);
    const renamed = await api.ok("POST", `/agents/${agent.id}`, { version: 2, name: "Other" });
    assert.deepEqual(renamed.git_identity, identity("Bob"));
    const environment = await makeEnvironment(api, { git_identity: { co_authored_by: person("Cid") } });
    assert.deepEqual(environment.git_identity, { name: null, email: null, co_authored_by: person("Cid") });
    assert.deepEqual(await api.ok("GET", `/environments/${environment.id}`), environment);
    const session = await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id });
    assert.equal(session.git_identity, null);
    assert.deepEqual(session.agent.git_identity, identity("Bob"));
    const path = `/sessions/${session.id}`;
    assert.deepEqual(
      (await api.ok("POST", path, { git_identity: person("Dan") })).git_identity,
      identity("Dan"),
    );
    assert.deepEqual((await api.ok("POST", path, { title: "x" })).git_identity, identity("Dan"));
    assert.deepEqual((await api.ok("GET", path)).git_identity, identity("Dan"));
    assert.deepEqual((await api.ok("POST", path, { git_identity: shared })).git_identity, shared);
    assert.equal((await api.ok("POST", path, { git_identity: null })).git_identity, null);
    const { data } = await api.ok("GET", `${path}/events`);
    const updates = data.filter(({ type }: AnyJson) => type === "session.updated");
    assert.deepEqual(
      updates
        .map(({ git_identity }: AnyJson) => git_identity)
        .sort((a: unknown) => (a === undefined ? 1 : 0)),
      [identity("Dan"), shared, null, undefined],
    );
    assert.equal(
      (await api.ok("POST", `/environments/${environment.id}`, { git_identity: null })).git_identity,
      null,
    );
    const cleared = await api.ok("POST", `/agents/${agent.id}`, { version: 3, git_identity: null });
    assert.ok(!("git_identity" in cleared));
    const faults: [Json, string][] = [
      [{ name: "Ann" }, "git_identity.email"],
      [{ email: "ann@example.com" }, "git_identity.name"],
      [{}, "git_identity.name"],
      [{ name: "Ann\n[core]", email: "ann@example.com" }, "git_identity.name"],
      [{ name: "Ann <x>", email: "ann@example.com" }, "git_identity.name"],
      [{ name: " . ", email: "ann@example.com" }, "git_identity.name"],
      [{ name: "Ann", email: "ann example" }, "git_identity.email"],
      [{ name: "Ann", email: "ann@example.com>" }, "git_identity.email"],
      [{ co_authored_by: { name: "Ann" } }, "git_identity.co_authored_by.email"],
      [{ ...person("Ann"), login: "ann" }, "git_identity.login"],
      [{ session_owner: "committer" }, "git_identity.session_owner"],
    ];
    for (const [git_identity, param] of faults) {
      for (const target of ["/environments", path]) {
        const body = target === path ? { git_identity } : { name: "faulty", git_identity };
        assertError(await api.post(target, body), 400, "invalid_request_error", { param });
      }
    }
  },
);

covers(
  ["git-identity-used"],
  "git identity: the session's, else the environment's, else the agent's; a change at the next opening",
  async () => {
    const three = { agent: person("Agent"), environment: person("Environment"), session: person("Session") };
    assert.equal(await author(await open(three)), "Session <session@example.com>");
    const coAuthored = {
      agent: { ...person("Agent"), co_authored_by: person("Cid") },
      environment: person("Environment"),
    };
    assert.equal(
      await author(await open(coAuthored)),
      "Environment <environment@example.com> Co-authored-by: Cid <cid@example.com>",
    );
    const updated = await open({ agent: person("Agent"), session: person("Session") });
    await api.ok("POST", `/sessions/${updated.id}`, { git_identity: null });
    await api.ok("POST", `/environments/${updated.environment_id}`, { git_identity: person("Later") });
    assert.equal(await author(updated), "Later <later@example.com>");
    const other = bash(
      "cd /data/own && git config user.name Own && git commit -q --allow-empty -m x && git log -1 --format=%an",
    );
    assert.equal(authorIn(toolResults(await runTurn(api, updated.id, other))), "Own");
  },
);

covers(
  ["git-identity-of-token"],
  "git identity: by default that of the token's account; where the host does not tell it, Berth's own",
  async () => {
    const token = host.createToken({ user: "robot", permissions: "write" });
    const repository = (authorization_token: string) => [
      { type: "hosted_repository", url: `${host.url}/acme/widget`, authorization_token },
    ];
    const account = "robot (test) <4242+robot@users.noreply.git.localhost>";
    assert.equal(await author(await open({ resources: repository(token) })), account);
    assert.equal(
      await author(
        await open({ resources: repository(token), environment: { co_authored_by: person("Cid") } }),
      ),
      `${account} Co-authored-by: Cid <cid@example.com>`,
    );
    assert.equal(
      await author(await open({ resources: repository(token), agent: person("Agent") })),
      "Agent <agent@example.com>",
    );
    assert.equal(host.requests.filter(({ path }) => path === "/api/v3/user").length, 1);
    const unknown = await open({ resources: repository("ght_unknown") });
    assert.equal(await author(unknown), "Berth agent <agent@berth.invalid>");
    assert.equal(await author(await open({})), "Berth agent <agent@berth.invalid>");
  },
);

const PEOPLE = bash(
  "cd /data && git init -q own && cd own && git commit -q --allow-empty -m change && git log -1 --format='%an <%ae>|%cn <%ce>|%(trailers:separator=;)'",
);

covers(
  ["git-identity-owner"],
  "session_owner: the user is co-author or author; a service account is nobody; others have no say",
  async () => {
    const email = berth.nameOf("owner@example.com");
    const owner = `${email.split("@")[0]} <${email}>`;
    const people = async (given: Given, as = api) => {
      const [{ id }, { id: environment_id }] = await Promise.all([
        makeAgent(as, { git_identity: given.agent ?? null }),
        makeEnvironment(as, { git_identity: given.environment ?? null }),
      ]);
      const session = await as.ok("POST", "/sessions", { agent: id, environment_id });
      return authorIn(toolResults(await runTurn(as, session.id, PEOPLE)));
    };
    const agent = person("Agent");
    assert.equal(
      await people({ agent, environment: { session_owner: "co_author" } }),
      `Agent <agent@example.com>|Agent <agent@example.com>|Co-authored-by: ${owner}`,
    );
    assert.equal(
      await people({
        agent: { ...agent, session_owner: "co_author", co_authored_by: person("Cid") },
        environment: { session_owner: "author" },
      }),
      `${owner}|Agent <agent@example.com>|Co-authored-by: Agent <agent@example.com>;Co-authored-by: Cid <cid@example.com>`,
    );
    const robot = await berth.client({ user: "robot@example.com", kind: "sat" });
    assert.equal(
      await people({ agent: { ...agent, session_owner: "author" } }, robot),
      "Agent <agent@example.com>|Agent <agent@example.com>|",
    );
  },
);

covers(
  ["commits-signed"],
  "commit_signing: commits and tags are signed outside of the sandbox, until the key is deleted",
  async () => {
    const operator = await berth.operator();
    const { data } = await operator.ok("GET", `/api/v1/admin/organizations?name=${berth.organization}`);
    const path = `/api/v1/admin/organizations/${data[0].id}`;
    const setSigning = async (commit_signing: boolean) =>
      (await operator.ok("POST", path, { commit_signing })).signing_key;
    assert.equal(data[0].signing_key, null);
    const key = await setSigning(true);
    assert.match(key, /^ssh-ed25519 [A-Za-z0-9+/]{68}$/);
    assert.equal(await setSigning(true), key);
    const environment = await makeEnvironment(api, {
      config: { type: "cloud", networking: { type: "limited", allowed_hosts: [] } },
    });
    const agent = await makeAgent(api, { git_identity: person("Agent") });
    const start = () => api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id });
    const run = async (session: AnyJson, command: string) =>
      toolResults(await runTurn(api, session.id, bash(command)))[0] ?? "";
    const session = await start();
    const signers = `printf 'agent@example.com %s\\n' '${key}' >/tmp/signers && git config gpg.ssh.allowedSignersFile /tmp/signers`;
    const made = await run(
      session,
      `cd /data && git init -q own && cd own && ${signers} && git commit -q --allow-empty -m one && git commit -q --allow-empty -m two && git commit -q --amend --allow-empty -m three && git tag light && git tag -s full -m full && git log --format='%G? %GS' && git cat-file -t light && git verify-tag full 2>&1`,
    );
    assert.match(made, /^G agent@example.com\nG agent@example.com\ncommit\nGood "git" signature for agent/);
    const asked = (target: string) => `curl -sS http://signing.berth.invalid/${target}`;
    assert.match(await run(session, asked("x")), /must be a SHA-512/);
    assert.match(await run(session, asked("a".repeat(128))), /BEGIN SSH SIGNATURE/);
    const search = "grep -rl 'PRIVATE KEY' /etc/gitconfig /opt/berth/bin /proc/self/environ";
    assert.match(await run(session, search), /^\[exit code 1\]/);

    assert.equal(await setSigning(false), null);
    assert.match(
      await run(session, "cd /data/own && git commit -q --allow-empty -m four 2>&1; git log -1 --format=%s"),
      /berth: no signature: The organization signs no commits\.[\s\S]*\nthree$/,
    );
    const unsigned = await start();
    const plain =
      "git init -q /data/o && git -C /data/o commit -q --allow-empty -m x && git -C /data/o log --format=%G?";
    assert.equal((await run(unsigned, plain)).trim(), "N");
    assert.notEqual(await setSigning(true), key);
    await setSigning(false);
  },
);
