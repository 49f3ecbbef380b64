import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { type AnyJson, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeEnvironment, makeSession, runTurn, toolResults } from "../harness/fixtures.ts";
import { readOrEmpty } from "../harness/read-or-empty.ts";
import { sharedGitService } from "../harness/shared-service.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

const { host, api } = await sharedGitService("quick");
await host.createRepository({ org: "acme", name: "widget", private: true, files: { "w.txt": "w\n" } });

/**
 * Returns a command that leaves a process, and ends once that process runs its program, by which `closed`
 * finds it.
 */
const leave = (seconds: string) =>
  `sleep ${seconds} >/dev/null & until grep -q ${seconds} /proc/$!/cmdline; do :; done`;

const PROCESSES_NOTE = /Processes that were running have ended/;

async function run(session: string, ...commands: string[]): Promise<string> {
  return toolResults(await runTurn(api, session, ...commands.map(bash))).join("\n");
}

/** Waits until the sandbox is closed, which ends the process that was left. */
async function closed(left: string): Promise<void> {
  const isRunning = () =>
    readdirSync("/proc").some((pid) => readOrEmpty(`/proc/${pid}/cmdline`).startsWith(`sleep\0${left}\0`));
  await waitUntil(
    () => !isRunning(),
    () => "the sandbox did not close",
  );
}

covers(
  ["tmp-stays", "shell-kept", "processes-told"],
  "quiet session: /tmp and the shell come back, and what does not is told once",
  async () => {
    const { id } = await makeSession(api);
    const set =
      "mkdir /tmp/deep; cd /tmp/deep; echo kept >t; export X=1; p=2; f() { echo f$X; }; shopt -s extglob";
    await run(id, set, leave("97531.1"));
    await closed("97531.1");
    const back = await run(id, "pwd; cat t; f; shopt extglob; echo [$p]");
    assert.match(back, /\/tmp\/deep\nkept\nf1\nextglob\s+on\n\[\]/);
    assert.match(back, /Variables that were not exported: p\./);
    assert.match(back, /Processes that were running have ended: `sleep 97531\.1`\./);
    await run(id, `sleep 97531.2 >/dev/null & kill -KILL $!; wait $!; ${leave("97531.3")}`);
    await closed("97531.3");
    const again = await run(id, "pwd; f");
    assert.match(again, /\/tmp\/deep\nf1/);
    assert.doesNotMatch(again, /not exported|97531\.[12]/);
    assert.match(again, PROCESSES_NOTE);
  },
);

covers(["shell-kept-secrets"], "quiet session: a rotated token is not what the shell had", async () => {
  const first = host.createToken({ user: "ann", permissions: "write" });
  const url = `${host.url}/acme/widget`;
  const environment = await api.ok("POST", "/environments", { name: "inside", credentials: "inject" });
  const session = await makeSession(api, {
    environment_id: environment.id,
    resources: [{ type: "hosted_repository", url, authorization_token: first }],
  });
  await run(session.id, `export COPY=$GH_TOKEN OWN=mine; ${leave("97532.1")}`);
  await closed("97532.1");
  const second = host.createToken({ user: "ann", permissions: "write" });
  await api.ok("POST", `/sessions/${session.id}/resources/${session.resources[0].id}`, {
    authorization_token: second,
  });
  host.revokeToken(first);
  const digest = `printf %s "$GH_TOKEN" | sha256sum | cut -c1-64`;
  const told = await run(
    session.id,
    `${digest}; echo [$COPY] $OWN; grep -r -l ${first.slice(0, 8)} /mnt/session/shells`,
  );
  assert.ok(told.includes(createHash("sha256").update(second).digest("hex")), told);
  assert.match(told, /With a secret in the value: COPY\.[\s\S]*\n\[\] mine\n/);
  assert.doesNotMatch(told, /shells\/main/);
});

covers(
  ["workspace-ephemeral"],
  "quiet session with an ephemeral workspace: the disk is gone, with outputs saved and the repository cloned again",
  async () => {
    const { id: environment, workspace } = await makeEnvironment(api, { workspace: "ephemeral" });
    assert.equal(workspace, "ephemeral");
    assert.equal((await makeEnvironment(api)).workspace, "persistent");
    const token = host.createToken({ user: "robot", permissions: "write" });
    const session = await makeSession(api, {
      environment_id: environment,
      resources: [{ type: "hosted_repository", url: `${host.url}/acme/widget`, authorization_token: token }],
    });
    // With its repository the session may already have lost a disk before its first turn.
    let hasRun = false;
    const isReclaimed = ({ type }: AnyJson) => {
      hasRun ||= type === "agent.tool_result";
      return hasRun && type === "session.container_reclaimed";
    };
    assert.match(
      await run(
        session.id,
        "echo draft >/data/draft; echo x >>widget/w.txt; echo done >/mnt/session/outputs/result.txt; cat widget/w.txt",
      ),
      /^w\nx/,
    );
    const events = await readEventsUntil(api, session.id, isReclaimed);
    assert.equal(events.at(-1).reason, "inactivity");
    const { data: files } = await api.ok("GET", `/files?scope_id=${session.id}`);
    assert.deepEqual(
      files.map(({ filename }: AnyJson) => filename),
      ["result.txt"],
    );
    const listed = await api.get(`/sessions/${session.id}/workspace?path=/data`);
    assertError(listed, 409, "conflict_error", { message: /its disk was reclaimed/ });
    assert.match(
      await run(session.id, "ls /data /mnt/session/outputs; cat widget/w.txt"),
      /^\/data:\nwidget\n\n\/mnt[^\n]+\nw$/,
    );
  },
);
