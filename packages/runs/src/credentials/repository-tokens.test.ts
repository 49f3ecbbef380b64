import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { type ConnectionAuth, newUuid } from "@berth/contract";
import { createGuardedFetch } from "@berth/egress";
import { connectionSecret, resourceSecret, SecretBox } from "@berth/store/secrets";
import { silentLog, type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { type Seed, seed, seedSession } from "@berth/store/test-support/runs";
import { accountTokens } from "../../../../tests/git-host/apis/gitea.ts";
import { projectTokens } from "../../../../tests/git-host/apis/gitlab.ts";
import { type GitHost, startGitHost } from "../../../../tests/git-host/git-host.ts";
import { isRepository, readResource } from "../inputs/resource-store.ts";
import { hostOf, RepositoryTokens, type TokenDeps, tokenName } from "./repository-tokens.ts";
import { revokeTokens } from "./revoke-tokens.ts";
import { SessionCredentials } from "./session-credentials.ts";
import { claimToken } from "./token-store.ts";

interface Bench {
  db: TestDatabase;
  host: GitHost;
  deps: TokenDeps;
  from: Seed;
  /** Answers every request of the host's APIs with this status until it is null again. */
  failWith(status: number | null): void;
  /** Requests of the APIs so far. */
  asked(): number;
  connect(auth: ConnectionAuth, secret: string, apiPath: string): Promise<string>;
  /** Adds a repository of a new session. Returns uuids. */
  repository(connection: string, name?: string): Promise<{ session: string; id: string }>;
  tokenOf(id: string): Promise<string | null>;
  end(session: string): Promise<void>;
  /** Makes what is due later due now. */
  hurry(): Promise<void>;
  revoke(): Promise<void>;
  left(): Promise<number>;
}

async function bench(t: TestContext): Promise<Bench> {
  const db = await testDatabase(t);
  let fault: number | null = null;
  const host = await startGitHost({
    intercept: (request, response) => {
      if (fault === null || !/^\/(api|2\.0)\//.test(request.url ?? "")) return false;
      response.writeHead(fault).end();
      return true;
    },
  });
  t.after(() => host.stop());
  await host.createRepository({ org: "acme", name: "widget", private: true, files: { a: "a" } });
  const secrets = new SecretBox(Buffer.alloc(32));
  const fetch = createGuardedFetch({
    ...{ allowPrivate: [host.host], authorities: [readFileSync(host.caFile, "utf8")] },
  });
  const deps = { db, secrets, fetch, log: silentLog };
  const from = await seed(db.write);
  return {
    ...{ db, host, deps, from },
    failWith: (status) => {
      fault = status;
    },
    asked: () => host.requests.filter(({ path }) => /^\/(api|2\.0)\//.test(path)).length,
    connect: async (auth, secret, apiPath) => {
      const id = newUuid();
      await db.write.query({
        text: `insert into connections (id, organization_id, owner_type, owner_id, display_name, url, api_url, auth, secret)
          values ($1, $2, 'organization', $2, 'c', $3, $4, $5, $6)`,
        values: [
          ...[id, from.organizationId, host.url, `${host.url}${apiPath}`, JSON.stringify(auth)],
          secrets.seal(connectionSecret(id), secret),
        ],
      });
      return id;
    },
    repository: async (connection, name = "widget") => {
      const session = await seedSession(db.write, from);
      const id = newUuid();
      await db.write.query({
        text: `insert into session_resources (id, session_id, type, mount_path, url, connection_id, repository_access)
          values ($1, $2, 'git_repository', '/data/widget', $3, $4, 'read_write')`,
        values: [id, session, `${host.url}/acme/${name}`, connection],
      });
      return { session, id };
    },
    tokenOf: async (id) => {
      const resource = await readResource(db.read, id);
      assert.ok(resource !== null && isRepository(resource));
      return resource.secret === null ? null : secrets.open(resourceSecret(id), resource.secret);
    },
    end: async (session) => {
      await db.write.query({
        text: "update sessions set archived_at = now() where id = $1",
        values: [session],
      });
    },
    hurry: async () => {
      await db.write.query({ text: "update session_tokens set due_at = now() where due_at > now()" });
      await db.write.query({
        text: "update session_resources set token_claimed_until = now() where token_claimed_until > now()",
      });
    },
    revoke: () => revokeTokens(deps, new AbortController().signal),
    left: async () => (await db.read.query({ text: "select from session_tokens" })).rowCount ?? 0,
  };
}

async function app({ host, connect }: Bench): Promise<string> {
  const made = host.apps.create();
  const installation_id = host.apps.install({ app: made, account: "acme" });
  return await connect({ type: "github_app", app_id: made.id, installation_id }, made.privateKey, "/api/v3");
}

test("50 sessions at expiry on two machines: one renewal each, and no request before or besides", async (t) => {
  const own = await bench(t);
  const { host, db, deps } = own;
  const connection = await app(own);
  const repositories = await Promise.all(Array.from({ length: 50 }, () => own.repository(connection)));
  const machines = [new RepositoryTokens(deps), new RepositoryTokens(deps)];
  const ensureAll = () =>
    Promise.all(
      // Each is asked for several times at once, as by the connections of a sandbox.
      repositories.flatMap(({ id }) => [...machines, ...machines].map((machine) => machine.ensure(id))),
    );
  host.apps.tokenSeconds = 60;
  assert.ok((await ensureAll()).every((fault) => fault === null));
  assert.equal(host.apps.minted.length, 50);
  await ensureAll();
  assert.equal(own.asked(), 50, "none is due");
  const before = await Promise.all(repositories.map(({ id }) => own.tokenOf(id)));
  const { rows } = await db.read.query<{ left: number }>({
    text: "select extract(epoch from token_expires_at - token_renew_at)::float8 as left from session_resources",
  });
  const times = rows.map(({ left }) => left);
  assert.ok(Math.min(...times) > 13 && Math.max(...times) < 26, times.join());
  assert.ok(Math.max(...times) - Math.min(...times) > 2, "they are not due together");

  await db.write.query({ text: "update session_resources set token_renew_at = now()" });
  const credentials = repositories.map(
    ({ session }) =>
      new SessionCredentials(
        {
          ...deps,
          db: { read: db.read },
          providers: [],
          repositoryVariables: () => ({}),
          tokens: machines[0] ?? assert.fail(),
        },
        session,
      ),
  );
  await Promise.all([ensureAll(), ...credentials.map((one) => one.commandVariables())]);
  assert.equal(host.apps.minted.length, 100);
  assert.equal(own.asked(), 100);
  const after = await Promise.all(repositories.map(({ id }) => own.tokenOf(id)));
  assert.equal(new Set([...before, ...after]).size, 100);
  for (const { repositories: of } of host.apps.minted) assert.deepEqual(of, ["acme/widget"]);

  for (const { session } of repositories) await own.end(session);
  await own.revoke();
  assert.ok(host.apps.minted.every(({ revoked }) => revoked));
  assert.equal(await own.left(), 0);
  assert.equal(await machines[0]?.ensure(repositories[0]?.id ?? ""), null);
  assert.equal(host.apps.minted.length, 100, "a session that has ended gets none");
});

test("a machine that dies while it makes a token: another makes one, and the lost one is found and revoked", async (t) => {
  const own = await bench(t);
  const { host, db, deps } = own;
  const secret = host.createToken({ user: "robot", permissions: "write" });
  host.createAccount("robot", "word");
  const kinds: [string, () => { name: string }[]][] = [
    [await own.connect({ type: "gitlab" }, secret, "/api/v4"), () => projectTokens(host.tokens)],
    [
      await own.connect({ type: "gitea", username: "robot" }, "word", "/api/v1"),
      () => accountTokens(host.tokens),
    ],
  ];
  for (const [connection, atHost] of kinds) {
    const { id, session } = await own.repository(connection);
    const lost = newUuid();
    // The process dies after the host has made the token, so nothing of it is stored.
    const claim = await claimToken(db.write, id, { id: lost, milliseconds: 60_000 });
    assert.equal(claim?.repository, "acme/widget");
    await hostOf(deps, claim.connection).makeToken({ ...claim, name: tokenName(lost) });
    assert.deepEqual(
      atHost().map(({ name }) => name),
      [`berth-${lost}`],
    );
    await own.revoke();
    assert.equal(atHost().length, 1, "it may still be made");
    await own.hurry();
    assert.equal(await new RepositoryTokens(deps).ensure(id), null);
    await own.revoke();
    assert.ok(!atHost().some(({ name }) => name === `berth-${lost}`), "the lost token is gone");
    assert.equal(atHost().length, 1, "the session's is not");
    await own.end(session);
    await own.revoke();
    assert.deepEqual([atHost(), await own.left()], [[], 0]);
  }
});

test("a token that is stored late, after its claim has ended: kept for its revocation, and not used", async (t) => {
  const own = await bench(t);
  const { host, deps } = own;
  const connection = await app(own);
  const { id, session } = await own.repository(connection);
  const slow = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const fetch: TokenDeps["fetch"] = async (...given) => {
    const response = await deps.fetch(...given);
    asked.resolve();
    await slow.promise;
    return response;
  };
  const late = new RepositoryTokens({ ...deps, fetch }).ensure(id);
  await asked.promise;
  await own.hurry();
  await new RepositoryTokens(deps).ensure(id);
  const used = await own.tokenOf(id);
  slow.resolve();
  await late;
  assert.equal(await own.tokenOf(id), used);
  assert.equal(host.apps.minted.length, 2);
  await own.end(session);
  await own.revoke();
  assert.ok(host.apps.minted.every(({ revoked }) => revoked));
});

test("a host that fails: the fault in a sentence, the token in use stays, and the host is not asked again at once", async (t) => {
  const own = await bench(t);
  const { host, db, deps } = own;
  const connection = await app(own);
  const { id, session } = await own.repository(connection);
  const tokens = new RepositoryTokens(deps);
  own.failWith(500);
  assert.deepEqual(await tokens.ensure(id), {
    ...{ type: "repository_clone_error", transient: true, retryAfterMs: null },
    message: `${host.host} answered with status 500.`,
  });
  assert.equal(await own.tokenOf(id), null);
  own.failWith(null);
  assert.equal(await tokens.ensure(id), null);
  const used = await own.tokenOf(id);
  own.failWith(500);
  await db.write.query({ text: "update session_resources set token_renew_at = now()" });
  const [before] = [own.asked()];
  const credentials = new SessionCredentials(
    {
      ...deps,
      db: { read: db.read },
      providers: [],
      repositoryVariables: (all) => ({ T: all[0]?.secret ?? "" }),
      tokens,
    },
    session,
  );
  for (let at = 0; at < 5; at++) assert.equal((await credentials.commandVariables()).T, used);
  assert.equal(own.asked() - before, 1);
  own.failWith(null);
  await db.write.query({ text: "update session_resources set token_renew_at = now()" });
  assert.notEqual((await credentials.commandVariables()).T, used);
});

test("bad input: one sentence for each, and no token is left", async (t) => {
  const own = await bench(t);
  const { host, connect, deps } = own;
  const made = host.apps.create();
  const installation_id = host.apps.install({ app: made, account: "acme" });
  const tokens = new RepositoryTokens(deps);
  const faultOf = async (key: string, installation: string, name?: string) => {
    const auth = { type: "github_app" as const, app_id: made.id, installation_id: installation };
    const { id } = await own.repository(await connect(auth, key, "/api/v3"), name);
    const fault = await tokens.ensure(id);
    assert.equal(await own.tokenOf(id), null);
    return [fault?.type, fault?.message, fault?.transient];
  };
  assert.deepEqual(await faultOf(host.apps.create().privateKey, installation_id), [
    "repository_authentication_error",
    `${host.host} rejects the app's id or its private key.`,
    undefined,
  ]);
  assert.deepEqual(await faultOf(made.privateKey, "999"), [
    "repository_not_found_error",
    `The app's installation 999 is gone from ${host.host}, or never was there.`,
    undefined,
  ]);
  assert.deepEqual(await faultOf(made.privateKey, installation_id, "none"), [
    "repository_not_found_error",
    "The connection does not reach the repository 'acme/none'.",
    undefined,
  ]);
  await host.moveRepository("acme/widget", "acme/gizmo");
  assert.deepEqual(await faultOf(made.privateKey, installation_id), [
    "repository_not_found_error",
    "The repository 'acme/widget' has moved to 'acme/gizmo'.",
    undefined,
  ]);
  assert.ok(host.apps.minted.every(({ revoked }) => revoked));
  assert.equal(await own.left(), 0);
});

test("revocation: tried again while the host fails, with its reason, and given up after a day", async (t) => {
  const own = await bench(t);
  const { db, host, deps } = own;
  const { id, session } = await own.repository(await app(own));
  await new RepositoryTokens(deps).ensure(id);
  await own.end(session);
  own.failWith(500);
  await own.revoke();
  const { rows } = await db.read.query({ text: "select attempts, failure from session_tokens" });
  assert.deepEqual(rows, [{ attempts: 1, failure: `${host.host} answered with status 500.` }]);
  await own.revoke();
  assert.equal(
    host.requests.filter(({ method }) => method === "DELETE").length,
    1,
    "the next attempt is later",
  );
  await db.write.query({ text: "update session_tokens set attempts = 31" });
  await own.hurry();
  await own.revoke();
  assert.equal(await own.left(), 0);
  const deleted = await own.repository(await app(own));
  own.failWith(null);
  await new RepositoryTokens(deps).ensure(deleted.id);
  await db.write.query({ text: "delete from sessions where id = $1", values: [deleted.session] });
  await own.revoke();
  assert.equal(host.apps.minted.at(-1)?.revoked, true);
});

test("a token that no host makes: the connection's own, until its secret is another one", async (t) => {
  const own = await bench(t);
  const { db, deps } = own;
  const auth = { type: "token", api: "github", username: null } as const;
  const connection = await own.connect(auth, "first", "/api/v3");
  const { id } = await own.repository(connection);
  const tokens = new RepositoryTokens(deps);
  assert.equal(await tokens.ensure(id), null);
  assert.deepEqual([await own.tokenOf(id), await own.left(), own.asked()], ["first", 0, 0]);
  await db.write.query({
    text: "update connections set secret = $2 where id = $1",
    values: [connection, deps.secrets.seal(connectionSecret(connection), "second")],
  });
  await tokens.ensure(id);
  assert.equal(await own.tokenOf(id), "first");
  await db.write.query({ text: "update session_resources set token_renew_at = now()" });
  await tokens.ensure(id);
  assert.equal(await own.tokenOf(id), "second");
});
