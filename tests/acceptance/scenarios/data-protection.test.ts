import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { signalIfAlive, waitForPid } from "../../crash/processes.ts";
import type { AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeFile, makeSession, makeSkill, steps } from "../harness/fixtures.ts";
import { readEventsUntil } from "../harness/stream.ts";

let berth: Berth;
before(async () => {
  berth = await Berth.start({ settings: { BERTH_RETENTION_DAYS: "files=30" } });
});
after(() => berth.stop());

const admin = async (...args: string[]): Promise<AnyJson> =>
  JSON.parse(await berth.command("admin", ...args, "--json"));

/** Creates a session with a used disk, and one whose turn runs. */
async function work(api: Api): Promise<{ idle: AnyJson; running: AnyJson }> {
  const file = await makeFile(api, "canary of the erasure");
  const idle = await makeSession(api, { resources: [{ type: "file", file_id: file.id }] });
  await api.ok("POST", `/sessions/${idle.id}/events`, {
    events: [steps(bash("echo kept > /mnt/session/outputs/report.txt"))],
  });
  await readEventsUntil(api, idle.id, ({ type }) => type === "session.status_idle");
  const running = await makeSession(api);
  await api.ok("POST", `/sessions/${running.id}/events`, { events: [steps(bash("sleep 600"))] });
  await readEventsUntil(api, running.id, ({ type }) => type === "agent.tool_use");
  await makeSkill(api, `skill-${idle.id.slice(-6)}`);
  return { idle, running };
}

function disks(): string[] {
  return readdirSync(join(berth.dataDir, "sessions")).filter((name) => name.startsWith("sess_"));
}

covers(["retention-settings"], "retention: settings, own days, and refused ones", async () => {
  await berth.command("admin", "organizations", "create", "keepers");
  const of = ["--org", "keepers"];
  const own = await admin("retention", "set", "sessions=90", "events=none", ...of);
  assert.deepEqual(own.data, [
    { name: "sessions", days: 90, from: "own" },
    { name: "events", days: null, from: "own" },
    { name: "files", days: 30, from: "settings" },
  ]);
  const { data } = await admin("retention", "unset", "sessions", "events", ...of);
  assert.deepEqual(
    data.map(({ days }: AnyJson) => days),
    [null, null, 30],
  );
  for (const [given, said] of [
    [
      "sessions=0",
      /'sessions=0' must be a whole number of days from 1 to 99999, such as sessions=90, or none\./,
    ],
    ["sessions=5=7", /'sessions=5=7' must be a whole number of days/],
    ["sesions=3", /There is no retention of 'sesions'\. Retention exists for: sessions, events, files\./],
  ] as const)
    await assert.rejects(berth.command("admin", "retention", "set", given, ...of), said);
  await assert.rejects(
    Berth.start({ settings: { BERTH_RETENTION_DAYS: "files=0" } }),
    /BERTH_RETENTION_DAYS/,
  );
});

covers(
  ["erasure-of-user", "erasure-receipt"],
  "a user is erased, with a turn that runs, disks and contents; others keep theirs",
  async () => {
    const ada = await berth.client({ user: "ada@example.com" });
    const bob = await berth.client({ user: "bob@example.com", role: "admin" });
    const { idle, running } = await work(ada);
    const kept = await makeFile(bob, "of another user");
    assert.equal(disks().length, 2);
    const receipt = await admin("erase", "--user", "ada@example.com");
    assert.ok(receipt.completed_at, JSON.stringify(receipt));
    assert.equal((await ada.call("GET", "/sessions")).status, 401);
    assert.deepEqual(disks(), []);
    for (const { id } of [idle, running])
      assert.equal((await bob.call("GET", `/sessions/${id}`)).status, 404);
    assert.equal((await bob.ok("GET", "/files")).data[0].id, kept.id);
    const { sessions, files, skills, tokens, users } = receipt.deleted;
    assert.deepEqual([sessions, files, skills, tokens, users], [2, 2, 1, 1, 1]);
    assert.deepEqual(receipt.waiting_for, { sessions: [], contents: 0 });
    assert.doesNotMatch(JSON.stringify(receipt), /ada@example|canary/);
    assert.deepEqual(await admin("erasures", "get", receipt.id), receipt);
    await assert.rejects(berth.command("admin", "erase", "--user", "ada@example.com"), /There is no user/);
    const again = await berth.client({ user: "ada@example.com" });
    assert.deepEqual((await again.ok("GET", "/sessions")).data, [], "somebody new with the same address");
  },
);

covers(
  ["erasure-of-organization", "erasure-receipt"],
  "an organization is erased, also over a restart of the service, and its name is free",
  async () => {
    const carol = await berth.client({ user: "carol@example.com", org: "acme" });
    await work(carol);
    await makeAgent(await berth.client({ user: "ci@example.com", org: "acme", kind: "sat" }));
    const runner = await waitForPid(berth, "runner");
    process.kill(runner, "SIGSTOP");
    const asked = await admin("erase", "--org", "acme", "--wait", "1");
    assert.equal(asked.completed_at, null, "nothing deletes the disks");
    assert.notDeepEqual(asked.waiting_for.sessions, []);
    const { id } = await admin("erase", "--org", "acme", "--wait", "1");
    assert.equal(id, asked.id, "it was asked for before");
    await berth.kill("SIGKILL");
    signalIfAlive(runner, "SIGKILL");
    berth = await Berth.start({ dataDir: berth.dataDir });
    const receipt = await erased(id);
    const { organizations, users, service_accounts } = receipt.deleted;
    assert.deepEqual([organizations, users, service_accounts], [1, 2, 1]);
    assert.deepEqual(disks(), []);
    const { data } = await admin("organizations", "list");
    assert.ok(data.every(({ name }: AnyJson) => name !== "acme"));
    await berth.command("admin", "organizations", "create", "acme");
  },
);

/** Returns the receipt once it is complete. */
async function erased(id: string): Promise<AnyJson> {
  const patience = AbortSignal.timeout(60_000);
  for (;;) {
    const receipt = await admin("erasures", "get", id);
    if (receipt.completed_at !== null) return receipt;
    patience.throwIfAborted();
  }
}
