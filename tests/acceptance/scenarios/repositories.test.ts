import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { AnyJson } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { sharedGitService } from "../harness/shared-service.ts";
import { readEventsUntil } from "../harness/stream.ts";

const { host, berth, api } = await sharedGitService();
const FILES = { "README.md": "# Widget\n", "src/main.txt": "one\n" };
await host.createRepository({ org: "acme", name: "widget", private: true, files: FILES });
await host.createRepository({ org: "acme", name: "gadget", private: true, files: { "g.txt": "g\n" } });
await host.createRepository({ org: "acme", name: "open", private: false, files: { "o.txt": "o\n" } });
const token = host.createToken({ user: "robot", permissions: "write" });

interface Repository {
  name?: string;
  authorization_token?: string | null;
  checkout?: AnyJson;
  mount_path?: string;
}

async function open(...repositories: Repository[]): Promise<AnyJson> {
  const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api)]);
  const resources = repositories.map(({ name = "widget", authorization_token: given = token, ...rest }) => ({
    type: "hosted_repository",
    url: `${host.url}/acme/${name}`,
    ...(given === null ? {} : { authorization_token: given }),
    ...rest,
  }));
  return api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id, resources });
}

/** Returns the first `session.resource_ready` or `session.error` of the session. */
async function outcome(session: AnyJson): Promise<AnyJson> {
  const events = await readEventsUntil(api, session.id, ({ type }) =>
    /^session\.(resource_ready|error)$/.test(type),
  );
  return events.at(-1);
}

covers(
  ["repo-mounted", "workdir", "clone-tools"],
  "private repository: clone, branch, edit, commit and push",
  async () => {
    const session = await open({});
    const events = await runTurn(
      api,
      session.id,
      bash("pwd; git --version; gh --version"),
      bash("cd widget && git checkout -b change && git log --oneline | wc -l"),
      {
        tool: "Edit",
        input: { file_path: "/data/widget/src/main.txt", old_string: "one", new_string: "two" },
      },
      bash("git commit -qam 'Change one to two' && git push -q origin change && git rev-parse HEAD"),
    );
    const texts = toolResults(events);
    assert.match(texts[0] ?? "", /^\/data\n.*git version[\s\S]*gh version/);
    const commit = /[0-9a-f]{40}/.exec(texts[3] ?? "")?.[0];
    assert.equal(await host.head("acme", "widget", "change"), commit, texts.join("\n"));
    const ready = await outcome(session);
    assert.equal(ready.type, "session.resource_ready");
    assert.equal(ready.resource_id, session.resources[0].id);
  },
);

covers(["repo-full-clone"], "clones: contain the whole history", async () => {
  const session = await open({ name: "open", authorization_token: null });
  const [text] = toolResults(
    await runTurn(api, session.id, bash("cd open && git rev-parse --is-shallow-repository && git fsck")),
  );
  assert.match(text ?? "", /^false/);
});

covers(
  ["repo-cli-token", "repo-token-secret"],
  "token: in the CLI's variables, not in the repository and in no event",
  async () => {
    const session = await open({});
    const events = await runTurn(
      api,
      session.id,
      bash(
        'for name in GH_TOKEN GH_ENTERPRISE_TOKEN; do printenv $name | tr -d "\\n" | sha256sum; done; printenv GH_HOST',
      ),
      bash('grep -rF "$GH_TOKEN" widget/.git /etc 2>/dev/null || echo clean'),
      bash("env; cat /proc/self/environ"),
    );
    const texts = toolResults(events);
    const digest = createHash("sha256").update(token).digest("hex");
    assert.equal(texts[0]?.match(new RegExp(digest, "g"))?.length, 2);
    assert.match(texts[0] ?? "", new RegExp(host.host));
    assert.equal(texts[1]?.trim(), "clean");
    assert.match(texts[2] ?? "", /GH_TOKEN=/);
    assert.ok(!JSON.stringify(events).includes(token), "a printed token is redacted");
  },
);

covers(["repo-cli-token", "clone-tools"], "gh: authenticated without a login", async () => {
  const session = await open({});
  const texts = toolResults(
    await runTurn(
      api,
      session.id,
      bash("gh auth status 2>&1; echo exit $?"),
      bash("gh api user --jq .login"),
    ),
  );
  assert.match(texts[0] ?? "", new RegExp(`Logged in to ${host.host} as robot[\\s\\S]*exit 0`));
  assert.doesNotMatch(texts[0] ?? "", /github\.com/);
  assert.equal(texts[1]?.trim(), "robot");
});

covers(["repo-checkout"], "checkout: a branch or a commit", async () => {
  const first = await open({});
  const texts = toolResults(
    await runTurn(
      api,
      first.id,
      bash(
        "cd widget && git checkout -q -b side && echo s > s.txt && git add . && git commit -qm side && git push -q origin side && git rev-parse HEAD HEAD~1",
      ),
    ),
  );
  const [side = "", base = ""] = texts[0]?.match(/[0-9a-f]{40}/g) ?? [];
  const branch = await open({ checkout: { type: "branch", name: "side" } });
  assert.match(
    toolResults(
      await runTurn(api, branch.id, bash("cd widget && git branch --show-current && git rev-parse HEAD")),
    )[0] ?? "",
    new RegExp(`side\\n${side}`),
  );
  const commit = await open({ checkout: { type: "commit", sha: base } });
  assert.match(
    toolResults(await runTurn(api, commit.id, bash("cd widget && git rev-parse HEAD")))[0] ?? "",
    new RegExp(base),
  );
});

covers(["repo-checkout", "repo-clone-failure"], "checkout: a light and an annotated tag", async () => {
  await host.createRepository({ org: "acme", name: "tagged", private: true, files: { "a.txt": "1\n" } });
  const first = await open({ name: "tagged" });
  const made = await runTurn(
    api,
    first.id,
    bash(
      "cd tagged && git tag light && git tag -a -m one v1.0 && git commit -qm two --allow-empty && git push -q origin HEAD light v1.0 && git rev-parse HEAD~1",
    ),
  );
  const commit = /[0-9a-f]{40}/.exec(toolResults(made)[0] ?? "")?.[0] ?? "no commit";
  for (const name of ["light", "v1.0"]) {
    const session = await open({ name: "tagged", checkout: { type: "tag", name } });
    assert.deepEqual(session.resources[0].checkout, { type: "tag", name });
    const shown = bash(
      "cd tagged && git rev-parse HEAD && git describe --tags --exact-match HEAD && git status",
    );
    const [text] = toolResults(await runTurn(api, session.id, shown));
    assert.match(text ?? "", new RegExp(`^${commit}\\n.*\\nHEAD detached`));
    assert.equal((await outcome(session)).commit, commit);
  }
  const failed = await outcome(await open({ name: "tagged", checkout: { type: "tag", name: "v2" } }));
  assert.equal(failed.error?.type, "repository_checkout_error");
  assert.match(failed.error.message, /no tag 'v2'/);
});

covers(["repo-checkout", "repo-clone-failure"], "checkout: the ref of a pull request", async () => {
  await host.createRepository({ org: "acme", name: "pulled", private: true, files: { "a.txt": "1\n" } });
  const first = await open({ name: "pulled" });
  const push =
    "cd pulled && git commit -qm pull --allow-empty && git push -q origin HEAD:refs/pull/1/head && git rev-parse HEAD";
  const commit = /[0-9a-f]{40}/.exec(toolResults(await runTurn(api, first.id, bash(push)))[0] ?? "")?.[0];
  // Once with a snapshot of the default branch, and once with whatever exists at first.
  for (let sessions = 0; sessions < 2; sessions++) {
    const session = await open({ name: "pulled", checkout: { type: "ref", name: "refs/pull/1/head" } });
    assert.deepEqual(session.resources[0].checkout, { type: "ref", name: "refs/pull/1/head" });
    const shown = bash("cd pulled && git rev-parse HEAD && git status");
    const [text] = toolResults(await runTurn(api, session.id, shown));
    assert.match(text ?? "", new RegExp(`^${commit}\nHEAD detached`));
    assert.equal((await outcome(session)).commit, commit);
  }
  const missing = { name: "pulled", checkout: { type: "ref", name: "refs/merge-requests/9/head" } };
  const failed = await outcome(await open(missing));
  assert.equal(failed.error?.type, "repository_checkout_error");
  assert.match(failed.error.message, /no ref 'refs\/merge-requests\/9\/head'/);
});

covers(
  ["repo-clone-failure"],
  "failed clone: reported with its error type, and the session continues",
  async () => {
    const gone = host.createToken({ user: "gone", permissions: "write" });
    host.revokeToken(gone);
    for (const [repository, type] of [
      [{ authorization_token: "wrong-token" }, "repository_authentication_error"],
      [{ authorization_token: gone }, "repository_authentication_error"],
      [{ name: "absent" }, "repository_not_found_error"],
      [{ checkout: { type: "branch", name: "absent" } }, "repository_checkout_error"],
      [{ checkout: { type: "commit", sha: "0".repeat(40) } }, "repository_checkout_error"],
    ] as const) {
      const session = await open(repository);
      const event = await outcome(session);
      assert.equal(event.error?.type, type, JSON.stringify(event));
      assert.equal(event.error.resource_id, session.resources[0].id);
      assert.ok(!JSON.stringify(event).includes("wrong-token"));
      assert.match(
        toolResults(await runTurn(api, session.id, bash("ls -A /data | wc -l; echo on")))[0] ?? "",
        /^0\non/,
      );
    }
  },
);

covers(["repo-several"], "two repositories on one host: each has its own token", async () => {
  const other = host.createToken({
    user: "other",
    repositories: ["acme/gadget"],
    permissions: "write",
  });
  const session = await open(
    {},
    { name: "gadget", authorization_token: other, mount_path: "/workspace/gadget" },
  );
  const texts = toolResults(
    await runTurn(
      api,
      session.id,
      bash("cd /data/widget && git fetch -q && echo ok"),
      bash(
        "cd /workspace/gadget && git commit -q --allow-empty -m x && git push -q origin HEAD:refs/heads/from-agent && echo ok",
      ),
    ),
  );
  assert.deepEqual(
    texts.map((text) => text.split("\n")[0]),
    ["ok", "ok"],
  );
});

covers(
  ["repo-401", "repo-rotation"],
  "revoked token: 401; after rotation the next command works",
  async () => {
    const first = host.createToken({ user: "rotating", permissions: "write" });
    const session = await open({ authorization_token: first });
    const fetch = bash("cd /data/widget && git fetch -q 2>&1; echo exit $?");
    assert.match(toolResults(await runTurn(api, session.id, fetch))[0] ?? "", /exit 0/);
    host.revokeToken(first);
    assert.match(
      toolResults(await runTurn(api, session.id, fetch))[0] ?? "",
      /(401|Authentication failed)[\s\S]*exit (?!0)/,
    );
    const second = host.createToken({ user: "rotating", permissions: "write" });
    await api.ok("POST", `/sessions/${session.id}/resources/${session.resources[0].id}`, {
      authorization_token: second,
    });
    assert.match(toolResults(await runTurn(api, session.id, fetch))[0] ?? "", /exit 0/);
  },
);

covers(["repo-token-secret"], "tokens: in no event and no log line of the previous tests", async () => {
  for (const session of (await api.ok("GET", "/sessions?limit=100")).data) {
    const events = await api.ok("GET", `/sessions/${session.id}/events?limit=100`);
    assert.ok(!JSON.stringify(events.data).includes(token));
  }
  assert.ok(!berth.log.includes(token));
});
