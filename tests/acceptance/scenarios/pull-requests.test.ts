import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import type { GitHost } from "../../git-host/git-host.ts";
import { startGitHostOnDefaultPort } from "../../git-host/github-host.ts";
import type { TokenOptions } from "../../git-host/tokens.ts";
import type { AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";

let directory: string;
let host: GitHost;
let berth: Berth;
let api: Api;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "git-host-"));
  host = await startGitHostOnDefaultPort({ dir: directory });
  berth = await Berth.start({ settings: providerSettings(host) });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  await host.stop();
  await rm(directory, { recursive: true, force: true });
});

let repositoryCount = 0;

/** Creates a private repository with an issue. Returns its name. */
async function makeRepository(): Promise<string> {
  const name = `widget-${++repositoryCount}`;
  await host.createRepository({ org: "acme", name, private: true, files: { "README.md": "# Widget\n" } });
  host.project("acme", name).openIssue("ann", { title: "The tap leaks", body: "A drop a second." });
  return name;
}

/** Runs commands in a new session with a clone of the repository. */
async function runInClone(
  name: string,
  token: Partial<TokenOptions>,
  ...commands: string[]
): Promise<{ texts: string[]; events: AnyJson[] }> {
  const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api)]);
  const authorization_token = host.createToken({ user: "robot", permissions: "write", ...token });
  const resources = [{ type: "hosted_repository", url: `${host.url}/acme/${name}`, authorization_token }];
  const session = await api.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    resources,
  });
  const calls = commands.map((command) => bash(`cd /data/${name}; ${command}`));
  const events = await runTurn(api, session.id, ...calls);
  assert.ok(!JSON.stringify(events).includes(authorization_token));
  return { texts: toolResults(events), events };
}

const PUSH_BRANCH =
  "git checkout -q -b tap && echo fixed >> README.md && git commit -qam 'Close the tap' && git push -q -u origin tap";

covers(
  ["pull-request-opened", "clone-tools"],
  "gh: creates and comments on a pull request for a pushed branch, and reads and comments on issues",
  async () => {
    const name = await makeRepository();
    const { texts } = await runInClone(
      name,
      {},
      PUSH_BRANCH,
      "gh issue list",
      "gh pr create --fill",
      "gh pr create --fill",
      "gh pr comment tap --body 'Please look.'",
      "gh issue comment 1 --body 'A pull request closes it.'",
      "gh pr view --json number,state,headRefName --jq '\"\\(.number) \\(.state) \\(.headRefName)\"'",
      "gh pr create --base main --head nowhere --title t --body b",
    );
    assert.match(texts[1] ?? "", /^1\tOPEN\tThe tap leaks/m);
    assert.match(texts[2] ?? "", new RegExp(`^${host.url}/acme/${name}/pull/2$`, "m"));
    assert.match(texts[3] ?? "", /already exists/);
    assert.match(texts[6] ?? "", /^2 OPEN tap$/m);
    assert.match(texts[7] ?? "", /must be a branch/);
    const [issue, pullRequest, ...more] = host.project("acme", name).discussions;
    assert.deepEqual(more, []);
    assert.deepEqual(issue?.comments, [{ author: "robot", body: "A pull request closes it." }]);
    assert.deepEqual(pullRequest?.comments, [{ author: "robot", body: "Please look." }]);
    assert.ok(pullRequest?.kind === "pull request");
    assert.equal(pullRequest.title, "Close the tap");
    assert.equal(pullRequest.headOid, await host.head("acme", name, "tap"));
    assert.equal(pullRequest.author, "robot");
  },
);

covers(
  ["pull-request-permission"],
  "missing permissions: the agent sees the provider's error, and nothing changes",
  async () => {
    const name = await makeRepository();
    const missingPermission = /Resource not accessible by personal access token/;
    const { texts } = await runInClone(
      name,
      { pullRequests: "read", issues: "none" },
      PUSH_BRANCH,
      "gh pr create --fill",
      "gh issue list",
      "gh issue comment 1 --body Hello",
    );
    for (const text of texts.slice(1)) assert.match(text, missingPermission);
    const reader = await runInClone(
      name,
      { permissions: "read" },
      PUSH_BRANCH.replaceAll("tap", "other"),
      "gh issue list",
    );
    assert.match(reader.texts[0] ?? "", /403/);
    assert.match(reader.texts[1] ?? "", /The tap leaks/);
    assert.equal(await host.head("acme", name, "other"), null);
    const { discussions } = host.project("acme", name);
    assert.deepEqual(
      discussions.map(({ comments }) => comments.length),
      [0],
    );
  },
);

covers(
  ["single-sign-on"],
  "token without single sign-on authorization: repository_forbidden_error, no clone",
  async () => {
    const name = await makeRepository();
    const { texts, events } = await runInClone(
      name,
      { authorizedFor: ["elsewhere"] },
      "ls -A /data",
      `gh issue list --repo "$GH_HOST/acme/${name}"`,
    );
    const error = events.find(({ type }) => type === "session.error");
    assert.equal(error?.error.type, "repository_forbidden_error");
    assert.doesNotMatch(texts[0] ?? "", new RegExp(`^${name}$`, "m"));
    assert.match(texts[1] ?? "", /SAML enforcement/);
  },
);

for (const credentials of ["inject", "proxy"]) {
  covers(
    ["cli-token-of-repository"],
    `gh with two repositories of one host, each with its own token (${credentials}): each call is made with the token of its repository`,
    async () => {
      const names = [await makeRepository(), await makeRepository()];
      const [one = "", two = ""] = names;
      const tokenFor = (name: string) =>
        host.createToken({ user: `robot-${name}`, permissions: "write", repositories: [`acme/${name}`] });
      const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api, { credentials })]);
      const session = await api.ok("POST", "/sessions", {
        agent: agent.id,
        environment_id: environment.id,
        resources: names.map((name) => ({
          type: "hosted_repository",
          url: `${host.url}/acme/${name}`,
          authorization_token: tokenFor(name),
        })),
      });
      const events = await runTurn(
        api,
        session.id,
        bash(`gh issue comment 1 -R acme/${two} --body flag; gh issue view 1 -R acme/${one} --json number`),
        bash(`GH_REPO=acme/${two} gh issue comment 1 --body variable`),
        bash(`gh issue comment ${host.url}/acme/${two}/issues/1 --body url`),
        bash(`cd /data/${two} && ${PUSH_BRANCH} && gh pr create --fill && gh api /user --jq .login`),
        bash(`cd /data/${one} && gh issue comment 1 --body own; cd / && gh api /user --jq .login`),
      );
      const texts = toolResults(events);
      assert.match(texts[0] ?? "", /{"number":1}/);
      assert.match(texts[3] ?? "", new RegExp(`/acme/${two}/pull/2\\nrobot-${two}$`, "m"));
      assert.match(texts[4] ?? "", new RegExp(`^robot-${one}$`, "m"));
      const commentsOf = (name: string) =>
        host.project("acme", name).discussions[0]?.comments.map(({ author, body }) => `${author}: ${body}`);
      assert.deepEqual(commentsOf(one), [`robot-${one}: own`]);
      assert.deepEqual(
        commentsOf(two),
        ["flag", "variable", "url"].map((body) => `robot-${two}: ${body}`),
      );
    },
  );
}
