import assert from "node:assert/strict";
import { on } from "node:events";
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

test("sessions resources retry: clones what has failed; refuses everything else in a sentence", {
  timeout: 120_000,
}, async (t) => {
  const agent = await service.json("agents", "create", "-f", "name=a", "-f", "model=rehearsal/steps");
  const environment = await service.json("environments", "create", "-f", "name=e");
  const url = `${host.url}/acme/late`;
  const session = await service.json(
    ...["sessions", "create", "-f", `agent=${agent.id}`, "-f", `environment_id=${environment.id}`],
    ...["-F", `resources=${JSON.stringify([{ type: "git_repository", url }])}`],
  );
  const [repository] = session.resources;
  const { child, lines } = service.follow("sessions", "logs", "-f", "--json", session.id);
  t.after(() => child.kill("SIGKILL"));
  // Several lines may arrive at once, so they are collected from the start.
  const events = on(lines, "line");
  const until = async (type: string) => {
    for (;;) {
      const [line] = (await events.next()).value ?? [];
      if (JSON.parse(line).type === type) return;
    }
  };
  const retry = (id: string, ...more: string[]) => [
    "sessions",
    "resources",
    "retry",
    session.id,
    id,
    ...more,
  ];

  await until("session.error");
  await host.createRepository({ org: "acme", name: "late", private: false, files: { "a.txt": "a" } });
  const ready = until("session.resource_ready");
  assert.equal(await service.done(...retry(repository.id)), `${repository.id}\n`);
  await ready;
  child.kill("SIGINT");

  await writeFile(join(service.dir, "note.txt"), "x");
  const file = await service.json("files", "upload", "note.txt");
  const added = await service.json(
    ...["sessions", "resources", "add", session.id, "-f", "type=file", "-f", `file_id=${file.id}`],
  );
  const refusals: [id: string, message: RegExp, type: string][] = [
    [repository.id, /has not failed/, "conflict_error"],
    [added.id, /file/, "invalid_request_error"],
    [`${repository.id.slice(0, -4)}0000`, /no|not/i, "not_found_error"],
  ];
  for (const [id, message, type] of refusals) {
    const { code, stdout, stderr } = await service.run(retry(id));
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.match(stderr, message);
    assert.match(stderr, new RegExp(`type: ${type}`));
  }
  assert.equal((await service.run(["sessions", "resources", "retry", session.id])).code, 2);

  await service.done("sessions", "archive", session.id);
  const archived = await service.run(retry(repository.id));
  assert.equal(archived.code, 4);
  assert.match(archived.stderr, /archived/);
});
