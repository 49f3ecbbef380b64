import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import type { GitHost } from "./git-host.ts";
import { startGitHubHost } from "./github-host.ts";

const run = promisify(execFile);

let dir: string;
let host: GitHost;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), "git-host-"));
  host = await startGitHubHost({ dir: join(dir, "host") });
  await host.createRepository({
    org: "acme",
    name: "open",
    private: false,
    files: { "README.md": "open\n" },
  });
  await host.createRepository({
    org: "acme",
    name: "secret",
    private: true,
    files: { "a/b.txt": "hidden\n" },
  });
});

after(async () => {
  await host.stop();
  await rm(dir, { recursive: true, force: true });
});

test("clone: a public repository without a token, with and without .git → succeeds", async () => {
  await git(null, "clone", `${host.url}/acme/open`, at("open"));
  await git(null, "clone", `${host.url}/acme/open.git`, at("open-git"));
  assert.equal(await readFile(at("open/README.md"), "utf8"), "open\n");
  assert.equal(await readFile(at("open-git/README.md"), "utf8"), "open\n");
});

test("clone and push: a private repository with a write token → succeeds", async () => {
  const token = host.createToken({ user: "ann", permissions: "write" });
  await git(token, "clone", `${host.url}/acme/secret`, at("secret"));
  assert.equal(await readFile(at("secret/a/b.txt"), "utf8"), "hidden\n");
  await writeFile(at("secret/large.bin"), randomBytes(3_000_000));
  const commit = await commitAll(at("secret"));
  await git(token, "-C", at("secret"), "push", "origin", "HEAD:refs/heads/work");
  assert.equal(await host.head("acme", "secret", "work"), commit);
  assert.deepEqual(
    (await host.log("acme", "secret", "work")).map((entry) => entry.subject),
    ["Change", "First commit"],
  );
  assert.ok(host.requests.some(({ path, status }) => path.endsWith("/git-receive-pack") && status === 200));
});

test("private repository: no token, or a wrong, expired or revoked one → 401", async () => {
  const expired = host.createToken({ user: "ann", permissions: "read", expiresInSeconds: 0 });
  const revoked = host.createToken({ user: "ann", permissions: "read" });
  await git(revoked, "ls-remote", `${host.url}/acme/secret`);
  host.revokeToken(revoked);
  for (const token of [null, "wrong", expired, revoked]) {
    const stderr = await failedGit(token, "ls-remote", `${host.url}/acme/secret`);
    assert.match(stderr, /could not read Username|Authentication failed/);
    assert.equal(host.requests.at(-1)?.status, 401);
  }
});

test("push with a read token, and a repository outside the token's list → 403", async () => {
  const reader = host.createToken({ user: "ann", permissions: "read" });
  await git(reader, "clone", `${host.url}/acme/open`, at("reader"));
  await writeFile(at("reader/x"), "x");
  await commitAll(at("reader"));
  assert.match(
    await failedGit(reader, "-C", at("reader"), "push", "origin", "HEAD:refs/heads/x"),
    /error: 403/,
  );
  const narrow = host.createToken({ user: "ann", permissions: "write", repositories: ["acme/open"] });
  assert.match(await failedGit(narrow, "ls-remote", `${host.url}/acme/secret`), /error: 403/);
  await git(narrow, "ls-remote", `${host.url}/acme/open`);
});

test("missing repository → 404", async () => {
  const token = host.createToken({ user: "ann", permissions: "read" });
  assert.match(await failedGit(token, "ls-remote", `${host.url}/acme/missing`), /not found/);
});

test("createRepository: from a local repository → its present commit is main, the only branch", async () => {
  await git(null, "clone", `${host.url}/acme/open`, at("local"));
  const commit = await commitAll(at("local"));
  await git(null, "-C", at("local"), "branch", "other");
  await git(null, "-C", at("local"), "checkout", "--quiet", "-b", "agent");
  await host.createRepository({ org: "acme", name: "copy", private: false, from: at("local") });
  assert.equal(await host.head("acme", "copy", "main"), commit);
  for (const branch of ["agent", "other"]) assert.equal(await host.head("acme", "copy", branch), null);
});

test("API: a valid token → its user; any other → Bad credentials", async () => {
  const token = host.createToken({ user: "ann", permissions: "read" });
  const curl = ["--silent", "--cacert", host.caFile, `${host.url}/api/v3/user`, "--header"];
  assert.equal(
    (await run("curl", [...curl, `Authorization: token ${token}`])).stdout,
    '{"login":"ann","id":4242,"name":"ann (test)"}',
  );
  assert.match((await run("curl", [...curl, "Authorization: token no"])).stdout, /Bad credentials/);
});

const at = (name: string): string => join(dir, name);

async function git(token: string | null, ...args: string[]): Promise<string> {
  const basic = Buffer.from(`x:${token}`).toString("base64");
  const header = token === null ? [] : [["http.extraHeader", `Authorization: Basic ${basic}`]];
  const config = [
    ["http.sslCAInfo", host.caFile],
    ["user.name", "T"],
    ["user.email", "t@example.com"],
    ...header,
  ];
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    HOME: dir,
  };
  env.GIT_CONFIG_COUNT = String(config.length);
  for (const [index, [key, value]] of config.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return (await run("git", args, { env })).stdout.trim();
}

async function failedGit(token: string | null, ...args: string[]): Promise<string> {
  return git(token, ...args).then(
    () => assert.fail("git succeeded"),
    (error: { stderr: string }) => error.stderr,
  );
}

async function commitAll(repository: string): Promise<string> {
  await git(null, "-C", repository, "add", "--all");
  await git(null, "-C", repository, "commit", "--quiet", "--allow-empty", "--message", "Change");
  return git(null, "-C", repository, "rev-parse", "HEAD");
}
