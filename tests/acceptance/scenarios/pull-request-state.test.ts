import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before } from "node:test";
import type { GitHost } from "../../git-host/git-host.ts";
import type { Project, PullRequest } from "../../git-host/github/projects.ts";
import { startGitHubHost } from "../../git-host/github-host.ts";
import { type AnyJson, type Api, assertError, type Json } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn } from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { ScannedApi, SecretScanner } from "../harness/secret-scanner.ts";
import { waitUntil } from "../harness/wait-until.ts";

const SCANNER = new SecretScanner();
let host: GitHost;
let berth: Berth;
let api: Api;
/** Answers requests to the APIs whose path it matches; null for none. */
let fault: { path: RegExp; status: number; headers?: Record<string, string> } | null = null;
/** Paths of the requests that came, without queries. */
const asked: string[] = [];

before(async () => {
  host = await startGitHubHost({
    intercept: ({ url = "" }, response: ServerResponse) => {
      asked.push(url.split("?")[0] ?? "");
      if (fault?.path.test(url) !== true) return false;
      response.writeHead(fault.status, fault.headers).end(`<b>Oh no</b> ${fault.status}`);
      return true;
    },
  });
  berth = await Berth.start({ settings: { ...providerSettings(host), BERTH_LOG_LEVEL: "debug" } });
  api = new ScannedApi(berth.url, await berth.token(), SCANNER);
});
after(async () => {
  await berth.stop();
  await host.stop();
  for (const { token } of host.apps.minted) SCANNER.add("a minted token", token);
  SCANNER.check("the service's log", berth.log);
});

const BRANCH = "agent/fix";
const PUSH = `git checkout -q -B ${BRANCH} && git commit -q --allow-empty -m "fix: a thing" && git push -q origin ${BRANCH}`;

interface Worked {
  session: AnyJson;
  project: Project;
  name: string;
}

let made = 0;

/** Makes a session with a repository of its own, in which a branch was pushed unless `command` says otherwise. */
async function worked(resource: Record<string, Json>, command = PUSH): Promise<Worked> {
  const name = `widget-${++made}`;
  await host.createRepository({ org: "acme", name, private: true, files: { "README.md": "# One\n" } });
  const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api)]);
  const session = await api.ok("POST", "/sessions", {
    ...{ agent: agent.id, environment_id: environment.id },
    resources: [{ type: "hosted_repository", url: `${host.url}/acme/${name}`, ...resource }],
  });
  await runTurn(api, session.id, bash(`cd /data/${name} && ${command}`));
  return { session, name, project: host.project("acme", name) };
}

function given(): Record<string, Json> {
  const token = host.createToken({ user: "robot", permissions: "write" });
  return { authorization_token: SCANNER.add("a given token", token) };
}

async function connected(auth: Record<string, Json>): Promise<AnyJson> {
  for (const field of ["token", "password", "private_key"])
    if (typeof auth[field] === "string") SCANNER.add(`a connection's ${field}`, auth[field]);
  return await api.ok("POST", "/connections", { display_name: "Acme", url: host.url, auth });
}

function appAuth(): { auth: Record<string, Json>; installation: string } {
  const app = host.apps.create();
  const installation = host.apps.install({ app, account: "acme" });
  const auth = { type: "github_app", app_id: app.id, installation_id: installation };
  return { auth: { ...auth, private_key: app.privateKey }, installation };
}

function open(project: Project, title = "Fix a thing", head = BRANCH): PullRequest {
  const fields = { title, body: "", draft: false, head, base: "main", headOid: "a".repeat(40) };
  return project.openPullRequest({ user: "robot" }, fields);
}

async function read({ session }: Worked, query = "", caller = api): Promise<AnyJson> {
  const body = await caller.ok("GET", `/sessions/${session.id}/pull_requests${query}`);
  assert.deepEqual([body.type, body.session_id], ["session_pull_requests", session.id]);
  return body.repositories[0];
}

/** Returns the repository's state once it is so: the host is asked every five seconds. */
async function until(work: Worked, isSo: (repository: AnyJson) => boolean): Promise<AnyJson> {
  let last: AnyJson = null;
  await waitUntil(
    async () => {
      last = await read(work, "?max_age=5");
      return isSo(last);
    },
    () => JSON.stringify(last),
  );
  return last;
}

/** Returns the number of requests for lists of pull or merge requests of a repository. */
const listings = ({ name }: Worked) =>
  asked.filter((path) => path.includes(name) && /\/(pulls|merge_requests|pullrequests)$/.test(path)).length;

const token = (fields: object = {}) => host.createToken({ user: "robot", permissions: "write", ...fields });
const failing = { name: "test", state: "failure", by: "run" } as const;

/** Credentials by which each host is asked. */
const KINDS: Readonly<Record<string, () => Promise<Record<string, Json>>>> = {
  "a given token": async () => given(),
  "a GitHub App": async () => ({ connection_id: (await connected(appAuth().auth)).id }),
  GitLab: async () => ({ connection_id: (await connected({ type: "gitlab", token: token() })).id }),
  Gitea: async () => {
    host.createAccount("gitea-robot", "a-long-password");
    const auth = { type: "gitea", username: "gitea-robot", password: "a-long-password" };
    return { connection_id: (await connected(auth)).id };
  },
  Bitbucket: async () => ({
    connection_id: (await connected({ type: "bitbucket", workspace: "acme", token: token() })).id,
  }),
};

covers(
  ["pull-request-state"],
  "the state of a pull request, by each host: open, a draft, merged and closed, with checks and reviews",
  async () => {
    const kinds = Object.entries(KINDS).map(async ([kind, credential]) => {
      try {
        await follow(await worked(await credential()));
      } catch (error) {
        throw new Error(kind, { cause: error });
      }
    });
    await Promise.all(kinds);
  },
);

/** Changes a pull request at its host, and sees each change. */
async function follow(work: Worked): Promise<void> {
  const { project, session } = work;
  const first = await read(work);
  assert.deepEqual(
    { ...first, refreshed_at: typeof first.refreshed_at },
    {
      ...{ type: "repository_pull_requests", resource_id: session.resources[0].id },
      ...{ url: `${host.url}/acme/${work.name}`, host: host.host, repository: `acme/${work.name}` },
      ...{ branches: [BRANCH], pull_requests: [], refreshed_at: "string", error: null },
    },
  );
  const pull = open(project);
  pull.checks = [failing, { name: "lint", state: "success", by: "status" }];
  pull.reviews = [{ author: "ann", state: "changes_requested", at: new Date() }];
  const { pull_requests, refreshed_at } = await until(work, (one) => one.pull_requests.length === 1);
  assert.ok(refreshed_at > first.refreshed_at);
  const [opened] = pull_requests;
  assert.deepEqual(
    [opened.number, opened.title, opened.state, opened.head, opened.base],
    [1, "Fix a thing", "open", BRANCH, "main"],
  );
  assert.ok(opened.url.startsWith(`${host.url}/acme/${work.name}/`));
  const { failed, ...checks } = opened.checks;
  assert.deepEqual(checks, { state: "failing", total: 2, pending_count: 0, failed_count: 1 });
  assert.deepEqual([failed.length, failed[0].name], [1, "test"]);
  assert.deepEqual([opened.reviews.state, opened.reviews.reviews[0].author], ["changes_requested", "ann"]);

  pull.checks = [{ ...failing, state: "success" }];
  pull.reviews = [{ author: "ann", state: "approved", at: new Date() }];
  project.change(1, { draft: true });
  const draft = (await until(work, (one) => one.pull_requests[0].state === "draft")).pull_requests[0];
  assert.deepEqual([draft.checks.state, draft.reviews.state], ["passing", "approved"]);
  project.change(1, { state: "MERGED", draft: false });
  await until(work, (one) => one.pull_requests[0].state === "merged");
  open(project, "Once more");
  project.change(2, { state: "CLOSED" });
  const both = await until(work, (one) => one.pull_requests.length === 2);
  assert.deepEqual(
    both.pull_requests.map(({ number, state }: AnyJson) => [number, state]),
    [
      [2, "closed"],
      [1, "merged"],
    ],
  );
}

covers(
  ["pull-request-asked-once"],
  "twenty readers at once: the host is asked once, and not again until the answer is old enough",
  async () => {
    const work = await worked(given());
    open(work.project);
    const states = await Promise.all(Array.from({ length: 20 }, () => read(work)));
    assert.deepEqual(new Set(states.map((one) => one.pull_requests[0].state)), new Set(["open"]));
    assert.equal(new Set(states.map((one) => one.refreshed_at)).size, 1);
    assert.equal(listings(work), 1);
    await Promise.all(Array.from({ length: 20 }, () => read(work, "?max_age=3600")));
    assert.equal(listings(work), 1);
    for (const wrong of ["4", "0", "-1", "x", "1e3", "86401"])
      assertError(
        await api.get(`/sessions/${work.session.id}/pull_requests?max_age=${wrong}`),
        400,
        "invalid_request_error",
        { param: "max_age", message: "Field 'max_age' must be an integer from 5 to 86,400." },
      );
  },
);

covers(
  ["pull-request-branches"],
  "only a branch that was pushed, or that the session checked out, is asked for, and an earlier one stays",
  async () => {
    const work = await worked(given(), "git commit -q --allow-empty -m local");
    assert.deepEqual((await read(work)).branches, []);
    assert.equal(listings(work), 0);
    await runTurn(api, work.session.id, bash(`cd /data/${work.name} && ${PUSH}`));
    assert.deepEqual((await read(work, "?max_age=5")).branches, [BRANCH]);
    open(work.project);
    open(work.project, "Second", "agent/second");
    const second = PUSH.replaceAll(BRANCH, "agent/second");
    await runTurn(api, work.session.id, bash(`cd /data/${work.name} && ${second}`));
    const both = await until(work, (one) => one.pull_requests.length === 2);
    assert.deepEqual(both.branches, ["agent/second", BRANCH]);

    const checkedOut = await worked({ ...given(), checkout: { type: "branch", name: "main" } }, "true");
    assert.deepEqual((await read(checkedOut)).branches, ["main"]);
    const plain = await api.ok("POST", "/sessions", {
      agent: (await makeAgent(api)).id,
      environment_id: (await makeEnvironment(api)).id,
    });
    const none = await api.ok("GET", `/sessions/${plain.id}/pull_requests`);
    assert.deepEqual(none.repositories, []);
  },
);

covers(
  ["pull-request-faults"],
  "each fault of a host is one sentence, nothing is half done, and what the host said before stays",
  async () => {
    const { auth, installation } = appAuth();
    const connection = await connected(auth);
    const work = await worked({ connection_id: connection.id });
    open(work.project);
    const before = await read(work);
    assert.deepEqual([before.pull_requests[0].state, before.error], ["open", null]);
    /** Waits for a sentence, and checks that the last known state is there as it was. */
    const failsWith = async (message: string | RegExp) => {
      const failed = await until(work, ({ error }) =>
        typeof message === "string" ? error?.message === message : message.test(error?.message ?? ""),
      );
      assert.deepEqual(
        [failed.pull_requests, failed.refreshed_at],
        [before.pull_requests, before.refreshed_at],
      );
      assert.match(failed.error.message, /^[^\n]+\.$/);
      assert.doesNotMatch(failed.error.message, /Oh no/);
      return failed.error;
    };
    fault = { path: /\/pulls\?/, status: 500 };
    await failsWith(`${host.host} answered with status 500.`);
    fault = { path: /\/reviews/, status: 502 };
    await failsWith(`${host.host} answered with status 502.`);
    fault = null;
    // The session's own token is gone, so the connection makes another one.
    const wrong = host.apps.create().privateKey;
    for (const { token: own } of host.apps.minted) host.apps.revoke(own);
    const put = (private_key: Json) =>
      api.ok("POST", `/connections/${connection.id}`, { auth: { type: "github_app", private_key } });
    await put(wrong);
    await failsWith(`${host.host} rejects the app's id or its private key.`);
    await put(auth.private_key ?? "");
    host.apps.suspend(installation);
    await failsWith(`The app's installation ${installation} is suspended at ${host.host}.`);
    host.apps.uninstall(installation);
    await failsWith(`The app's installation ${installation} is gone from ${host.host}, or never was there.`);

    const other = await worked(given());
    open(other.project);
    await read(other);
    fault = {
      ...{ path: /\/pulls\?/, status: 403 },
      headers: {
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": `${Math.floor(Date.now() / 1_000) + 600}`,
      },
    };
    const limited = await until(other, ({ error }) => error !== null);
    assert.equal(limited.error.message, `${host.host} takes no more requests for now.`);
    const minutes = (Date.parse(limited.error.retry_at) - Date.now()) / 60_000;
    assert.ok(minutes > 8 && minutes <= 10, `${minutes}`);
    fault = null;
    const count = listings(other);
    await waitUntil(
      async () => {
        await read(other, "?max_age=5");
        return Date.now() - Date.parse(limited.error.failed_at) > 6_000;
      },
      () => "the time does not pass",
    );
    assert.equal(listings(other), count, "the host is not asked before its time");

    const moving = await worked(given());
    open(moving.project);
    await read(moving);
    await host.moveRepository(`acme/${moving.name}`, `acme/${moving.name}-now`);
    const moved = await until(moving, ({ error }) => error !== null);
    assert.equal(
      moved.error.message,
      `The repository 'acme/${moving.name}' has moved to 'acme/${moving.name}-now'.`,
    );
    assert.equal(moved.pull_requests[0].state, "open");

    const blind = await worked({ authorization_token: token({ checks: { runs: false, statuses: false } }) });
    open(blind.project).checks = [failing];
    const partly = await read(blind);
    assert.match(partly.error.message, /does not let the credential read checks, which needs 'Checks: read'/);
    assert.deepEqual(
      [partly.pull_requests[0].state, partly.pull_requests[0].checks.state],
      ["open", "unknown"],
    );
    const unable = await worked({ authorization_token: token({ pullRequests: "none" }) });
    assert.equal(
      (await read(unable)).error.message,
      `${host.host} does not allow this to the session's token.`,
    );
    const git = await worked({ type: "git_repository", password: token() });
    assert.match((await read(git)).error.message, /^The password of a 'git_repository' is for git alone: /);
    const unknown = await connected({ type: "token", token: token() });
    const nameless = await worked({ connection_id: unknown.id });
    assert.match((await read(nameless)).error.message, /^Nothing says by which API .* is asked/);
  },
);

covers(
  ["pull-request-after-end"],
  "after the session's end a given token asks for nothing more, and a connection still does",
  async () => {
    const tokened = await worked(given());
    const connection = await connected(appAuth().auth);
    const byConnection = await worked({ connection_id: connection.id });
    for (const work of [tokened, byConnection]) {
      open(work.project);
      assert.equal((await read(work)).pull_requests[0].state, "open");
      await api.ok("POST", `/sessions/${work.session.id}/archive`);
      work.project.change(1, { state: "MERGED" });
    }
    const count = listings(tokened);
    await until(byConnection, (one) => one.pull_requests[0].state === "merged");
    const last = await read(tokened, "?max_age=5");
    assert.deepEqual([last.pull_requests[0].state, last.error], ["open", null]);
    assert.equal(listings(tokened), count);
    await waitUntil(
      () =>
        host.apps.minted.every(
          ({ repositories, revoked }) =>
            revoked || repositories?.includes(`acme/${byConnection.name}`) !== true,
        ),
      () => "a token of the archived session is not revoked",
    );
  },
);

covers(["pull-request-rights"], "who may read the session may read its pull requests", async () => {
  const work = await worked(given());
  open(work.project);
  const path = `/sessions/${work.session.id}/pull_requests`;
  const stranger = await berth.client({ user: "stranger@example.com" });
  assertError(await stranger.get(path), 403, "permission_error");
  assert.equal(listings(work), 0);
  await api.ok("POST", `/sessions/${work.session.id}/share`, { user: "stranger@example.com" });
  assert.equal((await read(work, "", stranger)).pull_requests[0].state, "open");
  assertError(await (await berth.client({ scopes: "agents:read" })).get(path), 403, "permission_error");
  assertError(
    await api.get("/sessions/sess_01h00000000000000000000000/pull_requests"),
    404,
    "not_found_error",
  );
});

covers(
  ["pull-request-state"],
  "a token in the texts of a pull request is masked, and an address elsewhere is left out",
  async () => {
    const credential = given();
    const work = await worked(credential);
    const pull = open(work.project, `Look: ${credential.authorization_token}`);
    pull.checks = [
      { ...failing, name: `x ${credential.authorization_token}`, url: "https://evil.example/x" },
    ];
    const [{ title, checks }] = (await read(work)).pull_requests;
    assert.equal(title, "Look: [redacted]");
    assert.deepEqual(checks.failed, [{ name: "x [redacted]", url: null }]);
  },
);
