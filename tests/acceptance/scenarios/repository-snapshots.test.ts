import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import type { AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { waitForSnapshots } from "../harness/repository-snapshots.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

let directory: string;
let host: GitHost;
let berth: Berth;
let api: Api;
let token: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "git-host-"));
  host = await startGitHost({ dir: directory });
  token = host.createToken({ user: "robot", permissions: "write" });
  berth = await Berth.start({
    settings: {
      ...providerSettings(host),
      BERTH_SANDBOX_IDLE_SECONDS: "0",
    },
  });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  await host.stop();
  await rm(directory, { recursive: true, force: true });
});

const url = (name: string): string => `${host.url}/acme/${name}`;

interface Repository {
  token?: string | null;
  checkout?: AnyJson;
  as?: Api;
}

async function open(name: string, { token: given = token, checkout, as = api }: Repository = {}) {
  const [agent, environment] = await Promise.all([makeAgent(as), makeEnvironment(as)]);
  const resource = {
    type: "hosted_repository",
    url: url(name),
    mount_path: "/data/repo",
    ...(given === null ? {} : { authorization_token: given }),
    ...(checkout === undefined ? {} : { checkout }),
  };
  return await as.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    resources: [resource],
  });
}

/** Returns the outputs of commands that run in the repository. */
async function runInRepository(session: AnyJson, commands: string[], as = api): Promise<string[]> {
  const lines = commands.map((command) => bash(`(cd /data/repo && ${command})`));
  return toolResults(await runTurn(as, session.id, ...lines)).map((text) => text.trim());
}

/** Returns the error of the session's repository. */
async function repositoryError(session: AnyJson, as = api): Promise<AnyJson> {
  const events = await readEventsUntil(as, session.id, ({ type }) =>
    /^session\.(resource_ready|error)$/.test(type),
  );
  const { error } = events.at(-1);
  return { type: error?.type, message: error?.message };
}

const FILESYSTEM_TYPE = "stat -f -c %T .";

/** Creates a repository on the host and waits for a snapshot of its default branch. */
async function createWithSnapshot(name: string, options: { private?: boolean } = {}): Promise<void> {
  const files = { "README.md": `# ${name}\n`, "src/main.txt": "one\n", "src/other.txt": "two\n" };
  await host.createRepository({ org: "acme", name, private: options.private ?? true, files });
  const [kind] = await runInRepository(await open(name), [FILESYSTEM_TYPE]);
  assert.notEqual(kind, "overlayfs", "the first session clones");
  await waitForSnapshots(berth, url(name), 1);
}

/** Runs a script in the bare repository on the host. */
function onHost(name: string, script: string): void {
  const identity =
    "export GIT_AUTHOR_NAME=H GIT_AUTHOR_EMAIL=h@example.com GIT_COMMITTER_NAME=H GIT_COMMITTER_EMAIL=h@example.com";
  const cwd = join(directory, `repositories/acme/${name}.git`);
  execFileSync("sh", ["-euc", `${identity}\n${script}`], { cwd });
}

/** Returns the metrics' count of an event of repository snapshots. */
async function counted(event: string): Promise<number> {
  const metrics = await (await fetch(`${berth.url}/metrics`)).text();
  const sample = new RegExp(`^berth_repository_snapshots_total\\{event="${event}"\\} (\\d+)$`, "m");
  return Number(sample.exec(metrics)?.[1] ?? 0);
}

covers(
  ["snapshot-apart", "session-log-lines", "metrics-sessions"],
  "two sessions from one snapshot: complete, separate, and each pushes",
  async () => {
    await createWithSnapshot("widget");
    const sessions = await Promise.all([open("widget"), open("widget")]);
    const texts = await Promise.all(
      sessions.map((session, index) =>
        runInRepository(session, [
          FILESYSTEM_TYPE,
          "git fsck --strict && git status --porcelain && git log --format=%s",
          `git checkout -q -b own-${index} && echo ${index} >own && git rm -q src/other.txt && git add own && git commit -qm Own-${index} && git push -q origin own-${index} && git rev-parse HEAD`,
          "ls src; cat own; git branch; find .git -name alternates",
        ]),
      ),
    );
    for (const [index, [kind, whole, commit, seen]] of texts.entries()) {
      assert.equal(kind, "overlayfs");
      assert.equal(whole, "First commit");
      assert.equal(await host.head("acme", "widget", `own-${index}`), commit);
      assert.equal(seen, `main.txt\n${index}\n  main\n* own-${index}`);
    }
    assert.deepEqual([await counted("cloned"), await counted("built"), await counted("used")], [1, 1, 2]);
    const logged = berth.log.split("\n").filter((line) => line.includes("a repository snapshot was used"));
    const told = logged.map((line) => JSON.parse(line));
    assert.deepEqual(told.map(({ session }) => session).sort(), sessions.map(({ id }) => id).sort());
    assert.deepEqual(
      told.map(({ stale }) => stale),
      [false, false],
    );
  },
);

covers(
  ["snapshot-current"],
  "changed repository: new commits are present, removed ones are not",
  async () => {
    await createWithSnapshot("moving");
    onHost("moving", "git update-ref refs/heads/main $(git commit-tree -m Second -p main main^{tree})");
    const inspect = "git log --format=%s; git status -sb; git fsck --strict";
    const second = await runInRepository(await open("moving"), [
      FILESYSTEM_TYPE,
      inspect,
      "git rev-parse HEAD",
    ]);
    assert.deepEqual(second.slice(0, 2), ["overlayfs", "Second\nFirst commit\n## main...origin/main"]);
    await waitForSnapshots(berth, url("moving"), 2);
    onHost("moving", "git update-ref refs/heads/main $(git commit-tree -m Other -p main~1 main^{tree})");
    const third = await runInRepository(await open("moving"), [
      inspect,
      `git cat-file -e ${second[2]} 2>/dev/null || echo absent`,
      "echo x >>README.md && git commit -qam x && git push -q origin HEAD:third && git log --format=%s",
    ]);
    assert.deepEqual(third, [
      "Other\nFirst commit\n## main...origin/main",
      "absent",
      "x\nOther\nFirst commit",
    ]);
  },
);

covers(["snapshot-checkout"], "checkout: a branch or commit other than the snapshot's", async () => {
  await createWithSnapshot("branched");
  onHost(
    "branched",
    "git update-ref refs/heads/side $(git commit-tree -m Side -p main $(git ls-tree main | grep README | git mktree))",
  );
  const branch = await runInRepository(
    await open("branched", { checkout: { type: "branch", name: "side" } }),
    [FILESYSTEM_TYPE, "git branch -vv --no-color; ls; git status --porcelain"],
  );
  assert.equal(branch[0], "overlayfs");
  assert.match(branch[1] ?? "", /^\* side [0-9a-f]+ \[origin\/side\] Side\nREADME\.md$/);
  const sha = await host.head("acme", "branched", "main");
  const commit = await runInRepository(await open("branched", { checkout: { type: "commit", sha } }), [
    FILESYSTEM_TYPE,
    "git rev-parse HEAD; git symbolic-ref -q HEAD || echo detached; ls; git status --porcelain",
  ]);
  assert.deepEqual(commit, ["overlayfs", `${sha}\ndetached\nREADME.md\nsrc`]);
  const absent = await open("branched", { checkout: { type: "branch", name: "absent" } });
  assert.equal((await repositoryError(absent)).type, "repository_checkout_error");
});

covers(["snapshot-parked"], "uncommitted work: survives closing and reopening the sandbox", async () => {
  await createWithSnapshot("parked");
  const session = await open("parked");
  const work =
    "echo more >>README.md && rm -r src && mkdir new && echo new >new/file && git add README.md && echo unstaged >>README.md";
  assert.deepEqual(await runInRepository(session, [FILESYSTEM_TYPE, `${work} && git status --porcelain`]), [
    "overlayfs",
    "MM README.md\n D src/main.txt\n D src/other.txt\n?? new/",
  ]);
  // The first turn after the sandbox was closed adds a session.container_started.
  for (let tries = 0; ; tries++) {
    assert.ok(tries < 300);
    const [text] = await runInRepository(session, [
      "cat README.md new/file; git status --porcelain; git diff --cached --stat | tail -1",
    ]);
    assert.equal(
      text,
      "# parked\nmore\nunstaged\nnew\nMM README.md\n D src/main.txt\n D src/other.txt\n?? new/\n 1 file changed, 1 insertion(+)",
    );
    const log = await api.ok("GET", `/sessions/${session.id}/events?limit=100`);
    if (log.data.filter(({ type }: AnyJson) => type === "session.container_started").length > 1) break;
  }
});

covers(["snapshot-access"], "no read access now: the same error as from a clone", async () => {
  const files = { "a.txt": "a\n" };
  await host.createRepository({ org: "acme", name: "guarded", private: true, files });
  await host.createRepository({ org: "acme", name: "elsewhere", private: true, files });
  const revoked = host.createToken({ user: "losing", permissions: "read" });
  const barred = host.createToken({ user: "barred", permissions: "read", repositories: ["acme/elsewhere"] });
  const wrong = ["wrong-token", barred, null];
  const before = await Promise.all(
    wrong.map(async (each) => repositoryError(await open("guarded", { token: each }))),
  );
  assert.deepEqual(
    before.map(({ type }) => type),
    ["repository_authentication_error", "repository_forbidden_error", "repository_authentication_error"],
  );
  await runInRepository(await open("guarded", { token: revoked }), ["true"]);
  await waitForSnapshots(berth, url("guarded"), 1);
  assert.deepEqual(await runInRepository(await open("guarded", { token: revoked }), [FILESYSTEM_TYPE]), [
    "overlayfs",
  ]);
  host.revokeToken(revoked);
  const colleague = await berth.client({ user: "colleague@example.com" });
  const after = await Promise.all(
    wrong.map(async (each) =>
      repositoryError(await open("guarded", { token: each, as: colleague }), colleague),
    ),
  );
  assert.deepEqual(after, before);
  assert.deepEqual(await repositoryError(await open("guarded", { token: revoked })), before[0]);
  const rotated = host.createToken({ user: "losing", permissions: "read" });
  assert.deepEqual(await runInRepository(await open("guarded", { token: rotated }), [FILESYSTEM_TYPE]), [
    "overlayfs",
  ]);
});

covers(["snapshot-organizations"], "another organization: gets its own snapshot", async () => {
  for (const name of ["private", "public"]) {
    await createWithSnapshot(name, { private: name === "private" });
    const other = await berth.client({ user: `other@${name}.example`, org: `other-${name}` });
    const given = { as: other, token: name === "private" ? token : null };
    const [first] = await runInRepository(await open(name, given), [FILESYSTEM_TYPE], other);
    assert.notEqual(first, "overlayfs");
    await waitForSnapshots(berth, url(name), 2);
    const [second] = await runInRepository(await open(name, given), [FILESYSTEM_TYPE], other);
    assert.equal(second, "overlayfs");
  }
});

covers(["snapshot-access"], "tokens: in no snapshot and no log line", async () => {
  const forms = [token, Buffer.from(`x-access-token:${token}`).toString("base64")];
  for (const form of forms) {
    assert.ok(!berth.log.includes(form));
    assert.throws(() => execFileSync("grep", ["-rqF", form, join(berth.dataDir, "repositories")]), {
      status: 1,
    });
  }
});

/** Commits a tree of these entries, unchecked, as the branch "old" of the repository on the host. */
function addOldTree(name: string, ...entries: string[]): void {
  const cwd = join(directory, `repositories/acme/${name}.git`);
  const git = (args: string[], input: Buffer | string) =>
    execFileSync("git", args, { cwd, input, encoding: "utf8" }).trim();
  const blob = Buffer.from(git(["hash-object", "-w", "--stdin"], "x"), "hex");
  const content = Buffer.concat(entries.flatMap((entry) => [Buffer.from(`${entry}\0`), blob]));
  const tree = git(["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], content);
  onHost(name, `git update-ref refs/heads/old $(git commit-tree -m Old ${tree})`);
}

covers(
  ["snapshot-impossible"],
  "history with harmless faults → a snapshot; with others → the reason in the log, and in the event of the next clone",
  async () => {
    const files = { "README.md": "# Old\n" };
    for (const name of ["harmless", "faulty"])
      await host.createRepository({ org: "acme", name, private: true, files });
    addOldTree("harmless", "0100644 a");
    addOldTree("faulty", "100644 a", "100644 a");
    for (const name of ["harmless", "faulty"]) await runInRepository(await open(name), ["true"]);
    await waitForSnapshots(berth, url("harmless"), 1);
    const why =
      /its object [0-9a-f]{40} does not pass git's check: duplicateEntries, contains duplicate file entries/;
    await waitUntil(
      () => why.test(berth.log),
      () => berth.log.slice(-2_000),
    );
    const next = await open("faulty");
    await runInRepository(next, ["true"]);
    const events = await readEventsUntil(api, next.id, ({ type }) => type === "session.resource_ready");
    assert.match(events.at(-1).snapshot_error, why);
  },
);
