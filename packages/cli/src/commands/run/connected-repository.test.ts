import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type GitHost, startGitHost } from "../../../../../tests/git-host/git-host.ts";
import { type Installation, startInstallation } from "../../../test-support/installation.ts";

let dir: string;
let host: GitHost;
let service: Installation;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "git-host-"));
  host = await startGitHost({ dir, plain: true });
  for (const [org, name] of [
    ["acme", "widget"],
    ["acme", "widget-tools"],
  ] as const)
    await host.createRepository({ org, name, private: true, files: { "a.txt": "a" } });
  service = await startInstallation({
    BERTH_GIT_HTTP_HOSTS: host.host,
    BERTH_EGRESS_ALLOW_PRIVATE: host.host,
  });
});
after(async () => {
  await service.stop();
  await host.stop();
  await rm(dir, { recursive: true, force: true });
});

test("run --repo NAME: found by the connections, cloned with their tokens, and each mistake in a sentence", {
  timeout: 120_000,
}, async () => {
  const task = JSON.stringify({ steps: [{ say: "Done." }] });
  const run = (...args: string[]) =>
    service.run(["run", task, "--model", "rehearsal/steps", "--detach", "--json", ...args]);
  const none = await run("--repo", "acme/widget");
  assert.equal(none.code, 2);
  assert.match(none.stderr, /there is no connection to find it with/);

  await writeFile(join(service.dir, "token"), host.createToken({ user: "robot", permissions: "write" }));
  const create = (token: string) =>
    service.json(
      ...["connections", "create", "-f", "display_name=Acme", "-f", `url=${host.url}`],
      ...["-f", "auth.type=token", "-f", "auth.api=gitea", "-f", `auth.token=${token}`],
    );
  const wrong = await create("wrong");
  const missing = await run("--repo", "acme/widget");
  assert.equal(missing.code, 2);
  assert.match(
    missing.stderr,
    /No connection has the repository 'acme\/widget'\. .* rejects the connection's/,
  );
  const connection = await create("@token");

  for (const named of [
    ["--repo", "ACME/Widget"],
    ["--repo", "acme/widget", "--connection", connection.id],
  ]) {
    const made = await run(...named, "--branch", "main");
    assert.equal(made.code, 0, made.stderr);
    const [resource] = JSON.parse(made.stdout).resources;
    assert.deepEqual(
      [resource.type, resource.url, resource.connection_id, resource.checkout],
      ["git_repository", `${host.url}/acme/widget`, connection.id, { type: "branch", name: "main" }],
    );
  }
  const mistakes: [string[], RegExp][] = [
    [["--repo", "acme/none"], /No connection has the repository 'acme\/none'\./],
    [["--repo", "acme/widget", "--connection", wrong.id], /rejects the connection's credential/],
    [
      ["--repo", "acme/widget", "--repo-token-file", join(service.dir, "token")],
      /With --connection, leave out/,
    ],
    [["--connection", connection.id], /--connection needs --repo/],
  ];
  for (const [args, message] of mistakes) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  }
});
