import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { GitHost } from "../../git-host/git-host.ts";
import { startGitHubHost } from "../../git-host/github-host.ts";
import { type AnyJson, type Api, assertError, type Json } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { ScannedApi, SecretScanner } from "../harness/secret-scanner.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

const SCANNER = new SecretScanner();
let host: GitHost;
let berth: Berth;
let api: Api;
/** Called for each request with its method and path, before it is served. */
let onRequest: (method: string, path: string) => void = () => undefined;
/** Whether the host's API answers each request with 500. */
let isDown = false;
let app: { id: string; privateKey: string };
let installation: string;

before(async () => {
  host = await startGitHubHost({
    intercept: ({ method = "", url = "" }, response) => {
      onRequest(method, url);
      if (!isDown || !url.startsWith("/api/")) return false;
      response.writeHead(500).end("<b>Oh no</b>");
      return true;
    },
  });
  for (const name of ["widget", "gadget"])
    await host.createRepository({ org: "acme", name, private: true, files: { "README.md": "# One\n" } });
  app = host.apps.create();
  SCANNER.add("the app's key", app.privateKey);
  installation = host.apps.install({ app, account: "acme" });
  berth = await Berth.start({ settings: { ...providerSettings(host), BERTH_LOG_LEVEL: "debug" } });
  api = new ScannedApi(berth.url, await berth.token(), SCANNER);
});
after(async () => {
  await berth.stop();
  await host.stop();
  for (const { token } of host.apps.minted) SCANNER.add("a minted token", token);
  SCANNER.check("the service's log", berth.log);
});

function connect(fields: Record<string, Json> = {}, caller = api): Promise<AnyJson> {
  const auth = {
    ...{ type: "github_app", app_id: app.id, installation_id: installation },
    private_key: app.privateKey,
  };
  return caller.ok("POST", "/connections", { display_name: "Acme", url: host.url, auth, ...fields });
}

/** Creates a session with `acme/widget`. */
async function open(resource: Record<string, Json>, credentials = "inject"): Promise<AnyJson> {
  const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api, { credentials })]);
  return await api.ok("POST", "/sessions", {
    ...{ agent: agent.id, environment_id: environment.id },
    resources: [{ type: "hosted_repository", url: `${host.url}/acme/widget`, ...resource }],
  });
}

/** Returns the first `session.resource_ready` or `session.error` of the session. */
async function outcome(session: AnyJson): Promise<AnyJson> {
  const events = await readEventsUntil(api, session.id, ({ type }) =>
    /^session\.(resource_ready|error)$/.test(type),
  );
  return events.at(-1);
}

const commitIn = (text: string) => /^[0-9a-f]{40}$/m.exec(text)?.[0];
const minted = () => host.apps.minted.length;
const commitAndPush = (branch: string) =>
  bash(
    `cd /data/widget && git checkout -q -B ${branch} && git commit -q --allow-empty -m "chore: ${branch}" && git push -q origin ${branch} 2>&1; git rev-parse HEAD`,
  );

covers(
  ["connected-tokens", "connected-revoked"],
  "a session's repository: a token of its own for that repository, to clone and push, revoked at the end",
  async () => {
    const connection = await connect();
    for (const type of ["hosted_repository", "git_repository"]) {
      const before = minted();
      const session = await open({ type, connection_id: connection.id });
      const [resource] = session.resources;
      assert.deepEqual([resource.connection_id, resource.access], [connection.id, "read_write"]);
      assert.equal((await outcome(session)).type, "session.resource_ready");
      assert.equal(minted(), before + 1);
      const [own] = host.apps.minted.slice(-1);
      assert.ok(own !== undefined);
      SCANNER.add("a token", own.token);
      assert.deepEqual(own.repositories, ["acme/widget"]);
      const [text = ""] = toolResults(await runTurn(api, session.id, commitAndPush(type)));
      assert.equal(await host.head("acme", "widget", type), commitIn(text), text);
      const [config] = toolResults(await runTurn(api, session.id, bash("cat /data/widget/.git/config")));
      SCANNER.check("the repository's config", config ?? "");
      SCANNER.checkArguments();
      assert.equal(minted(), before + 1, "one token serves the session");
      assertError(await api.delete(`/connections/${connection.id}`), 409, "conflict_error", {
        message: /is in use by sessions that are neither archived nor terminated/,
      });
      assertError(
        await api.post(`/sessions/${session.id}/resources/${resource.id}`, { authorization_token: "x" }),
        400,
        "invalid_request_error",
        { message: /gets its tokens from its connection/ },
      );
      await api.ok("POST", `/sessions/${session.id}/archive`);
      await waitUntil(
        () => own.revoked,
        () => "the token is not revoked",
      );
    }
    const reading = await open({ connection_id: connection.id, access: "read_only" });
    assert.equal((await outcome(reading)).type, "session.resource_ready");
    const [text = ""] = toolResults(await runTurn(api, reading.id, commitAndPush("reading")));
    assert.match(text, /403/);
    assert.equal(await host.head("acme", "widget", "reading"), null);
    await api.ok("DELETE", `/sessions/${reading.id}`);
    await waitUntil(
      () => host.apps.minted.at(-1)?.revoked === true,
      () => "the token of the deleted session is not revoked",
    );
    await waitUntil(
      async () => (await api.delete(`/connections/${connection.id}`)).status === 200,
      () => "the connection is still in use",
    );
  },
);

covers(["connected-renewed"], "a token that ends while a command runs: renewed before", async () => {
  const connection = await connect();
  host.apps.tokenSeconds = 12;
  try {
    const session = await open({ connection_id: connection.id }, "proxy");
    await outcome(session);
    const before = minted();
    const fetchOn =
      'end=$((SECONDS + 16)); while [ $SECONDS -lt $end ]; do git -C /data/widget ls-remote origin >/dev/null || exit 1; sleep 0.5; done; echo "all of them, with $GH_TOKEN"';
    const [text] = toolResults(await runTurn(api, session.id, bash(fetchOn)));
    assert.match(text ?? "", /^all of them, with berth[0-9a-f]{31}/);
    const renewals = minted() - before;
    assert.ok(renewals >= 1 && renewals <= 4, `${renewals}`);
    await api.ok("POST", `/sessions/${session.id}/archive`);
  } finally {
    host.apps.tokenSeconds = 3_600;
  }
});

covers(
  ["connected-revoked"],
  "a token that the host revokes in the middle of a push: git says so, nothing is pushed, and a rotated secret brings the next",
  async () => {
    const connection = await connect();
    const session = await open({ connection_id: connection.id });
    await outcome(session);
    onRequest = (method, path) => {
      if (method !== "POST" || !path.endsWith("/git-receive-pack")) return;
      for (const { token } of host.apps.minted) host.apps.revoke(token);
      onRequest = () => undefined;
    };
    const [text = ""] = toolResults(await runTurn(api, session.id, commitAndPush("middle")));
    assert.match(text, /401|Authentication failed|rejected/);
    assert.equal(await host.head("acme", "widget", "middle"), null);
    const auth = { type: "github_app", private_key: app.privateKey };
    await api.ok("POST", `/connections/${connection.id}`, { auth });
    const [again = ""] = toolResults(await runTurn(api, session.id, commitAndPush("middle")));
    assert.equal(await host.head("acme", "widget", "middle"), commitIn(again), again);
    await api.ok("POST", `/sessions/${session.id}/archive`);
  },
);

covers(
  ["connected-faults"],
  "a connection that makes no token: the clone fails with one sentence, and a new secret tries it again",
  async () => {
    const wrong = host.apps.create();
    const auth = {
      ...{ type: "github_app", app_id: app.id, installation_id: installation },
      private_key: wrong.privateKey,
    };
    const connection = await connect({ auth });
    const session = await open({ connection_id: connection.id });
    const failed = await outcome(session);
    const message = `${host.host} rejects the app's id or its private key.`;
    assert.deepEqual(failed.error, {
      ...{ type: "repository_authentication_error", message, resource_id: session.resources[0].id },
      retry_status: { type: "terminal" },
    });
    const path = `/sessions/${session.id}/resources/${session.resources[0].id}`;
    assert.equal((await api.ok("GET", path)).error.message, message);
    await api.ok("POST", `/connections/${connection.id}`, {
      auth: { type: "github_app", private_key: app.privateKey },
    });
    const events = await readEventsUntil(api, session.id, ({ type }) => type === "session.resource_ready");
    assert.equal(events.at(-1)?.resource_id, session.resources[0].id);
    assert.equal((await api.ok("GET", path)).error, null);
    await api.ok("POST", `/sessions/${session.id}/archive`);
  },
);

covers(
  ["connected-faults", "connection-test", "connection-repositories"],
  "each fault of a host at each place: one sentence, no token is left, and a running session keeps the one in use",
  async () => {
    const faults: {
      name: string;
      message: (installation: string) => string;
      begin: (connection: AnyJson, installation: string) => Promise<void> | void;
      isOfRepository?: true;
    }[] = [
      {
        name: "500",
        message: () => `${host.host} answered with status 500.`,
        begin: () => {
          isDown = true;
        },
      },
      {
        name: "wrong key",
        message: () => `${host.host} rejects the app's id or its private key.`,
        begin: async ({ id }) => {
          const { privateKey: private_key } = host.apps.create();
          await api.ok("POST", `/connections/${id}`, { auth: { type: "github_app", private_key } });
        },
      },
      {
        name: "gone",
        message: (gone) => `The app's installation ${gone} is gone from ${host.host}, or never was there.`,
        begin: (_connection, id) => host.apps.uninstall(id),
      },
      {
        name: "moved",
        message: () => "The repository 'acme/moved' has moved to 'acme/moved-now'.",
        begin: () => host.moveRepository("acme/moved", "acme/moved-now"),
        isOfRepository: true,
      },
    ];
    for (const { name, message, begin, isOfRepository } of faults) {
      const repository = name === "moved" ? "moved" : "gadget";
      if (name === "moved")
        await host.createRepository({ org: "acme", name: "moved", private: true, files: { a: "a" } });
      const own = host.apps.install({ app, account: "acme" });
      const auth = {
        ...{ type: "github_app", app_id: app.id, installation_id: own },
        private_key: app.privateKey,
      };
      const connection = await connect({ auth });
      const url = `${host.url}/acme/${repository}`;
      const running = await open({ url, connection_id: connection.id });
      assert.equal((await outcome(running)).type, "session.resource_ready", name);
      const sentence = message(own);
      await begin(connection, own);
      try {
        const path = `/connections/${connection.id}`;
        if (!isOfRepository) {
          const tested = await api.ok("POST", `${path}/test`);
          assert.deepEqual([tested.ok, tested.message], [false, sentence], name);
          assertError(await api.get(`${path}/repositories`), 409, "conflict_error", { message: sentence });
        }
        const branches = await api.get(`${path}/branches?repository=acme/${repository}`);
        assertError(branches, 409, "conflict_error", { message: sentence });
        const failed = await open({ url, connection_id: connection.id });
        assert.equal((await outcome(failed)).error.message, sentence, name);
        // The next token is due, the host does not make it, and commands go on with the one in use.
        if (name !== "wrong key")
          await api.ok("POST", path, { auth: { type: "github_app", private_key: app.privateKey } });
        const [text = ""] = toolResults(await runTurn(api, running.id, bash("echo works")));
        assert.match(text, /^works/, name);
        await api.ok("POST", `/sessions/${failed.id}/archive`);
      } finally {
        isDown = false;
      }
      if (name === "wrong key")
        await api.ok("POST", `/connections/${connection.id}`, {
          auth: { type: "github_app", private_key: app.privateKey },
        });
      await api.ok("POST", `/sessions/${running.id}/archive`);
      // A host that is gone or fails may have made a token, for which Berth looks for a day.
      if (name === "gone" || name === "500") continue;
      await waitUntil(
        async () => (await api.delete(`/connections/${connection.id}`)).status === 200,
        () => `${name}: a token is left that the connection has to revoke`,
      );
    }
  },
);

covers(
  ["connected-input"],
  "a repository takes a connection or a token, of its own host and in reach",
  async () => {
    const connection = await connect();
    const stranger = await berth.client({ user: "stranger@example.com" });
    const others = await connect({}, stranger);
    const elsewhere = await connect({ url: "https://github.example.com" });
    const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api)]);
    const url = `${host.url}/acme/widget`;
    const create = (resource: Json) =>
      api.post("/sessions", { agent: agent.id, environment_id: environment.id, resources: [resource] });
    const hosted = { type: "hosted_repository", url };
    const generic = { type: "git_repository", url };
    const param = "resources[0].connection_id";
    const connection_id = connection.id;
    for (const [resource, field] of [
      [{ ...hosted, connection_id, authorization_token: "x" }, "authorization_token"],
      [{ ...generic, connection_id, password: "x" }, "password"],
      [{ ...generic, connection_id, username: "x" }, "username"],
    ] as const)
      assertError(await create(resource), 400, "invalid_request_error", {
        ...{ param, message: `Field '${param}' cannot be combined with '${field}'.` },
      });
    assertError(await create({ ...hosted, access: "read_only" }), 400, "invalid_request_error", {
      param: "resources[0].access",
    });
    assertError(await create({ ...hosted, connection_id: elsewhere.id }), 400, "invalid_request_error", {
      ...{ param, message: /which is to https:\/\/github\.example\.com, not to / },
    });
    assertError(await create({ ...hosted, connection_id: others.id }), 403, "permission_error");
    assertError(
      await create({ ...hosted, connection_id: "conn_01h00000000000000000000000" }),
      404,
      "not_found_error",
      { param },
    );
  },
);
