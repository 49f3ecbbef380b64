import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { V1Pod } from "@kubernetes/client-node";
import { contentsOf, digestOf, fits, noteMadeWith } from "./made-with.ts";

const LIMITS = { memoryBytes: 1, pids: 1, cpus: 1, diskBytes: null };
const spec = { containers: [{ name: "sandbox", image: "a" }] };

function body(epoch: string, image = "a"): V1Pod {
  const metadata = { name: "one", labels: { "berth.epoch": epoch }, annotations: { team: "a" } };
  return { metadata, spec: { containers: [{ name: "sandbox", image }] } };
}

function running(pod: V1Pod): V1Pod {
  const state = { running: {} };
  const containerStatuses = [
    { name: "sandbox", state, ready: true, restartCount: 0, image: "", imageID: "" },
  ];
  const placed = { containers: [], ...pod.spec, nodeName: "a" };
  return { ...pod, spec: placed, status: { phase: "Running", containerStatuses } };
}

test("fits: what was made with the same under another lease, as long as it runs", () => {
  const former = running(noteMadeWith(body("1"), LIMITS, ["x"], "c"));
  assert.ok(fits(former, noteMadeWith(body("2"), LIMITS, ["x"], "c")));
  assert.ok(!fits(former, noteMadeWith(body("2", "b"), LIMITS, ["x"], "c")), "another image");
  assert.ok(!fits(former, noteMadeWith(body("2"), { ...LIMITS, diskBytes: 1 }, ["x"], "c")), "another limit");
  assert.ok(!fits(former, noteMadeWith(body("2"), LIMITS, ["y"], "c")), "other contents");
  const empty = running(noteMadeWith(body("0"), LIMITS, ["x"], ""));
  assert.ok(fits(empty, noteMadeWith(body("2"), LIMITS, ["x"], "c")), "contents are sent later");
  assert.deepEqual([contentsOf(former), contentsOf(empty)], ["c", ""]);
  const none = { ...body("2"), metadata: { ...body("2").metadata, labels: {} } };
  assert.ok(!fits(former, noteMadeWith(none, LIMITS, ["x"], "c")), "a sandbox of no session");
  const wanted = noteMadeWith(body("2"), LIMITS, ["x"], "c");
  const ending = { ...former, metadata: { ...former.metadata, deletionTimestamp: new Date() } };
  assert.ok(!fits(ending, wanted));
  assert.ok(fits({ ...former, status: { phase: "Pending" } }, wanted), "what runs may not be known yet");
  assert.ok(!fits({ ...former, status: { phase: "Failed" } }, wanted));
  assert.ok(!fits({ ...former, spec: { containers: [] } }, wanted), "it has no node");
  const [status] = former.status?.containerStatuses ?? [];
  assert.ok(status !== undefined);
  const dead = { ...status, state: { terminated: { exitCode: 137 } } };
  const partly = { phase: "Running", containerStatuses: [status, dead] };
  assert.ok(!fits({ ...former, status: partly }, wanted));
  assert.deepEqual(wanted.spec, spec);
  assert.equal(wanted.metadata?.annotations?.team, "a");
});

test("digestOf: changes with names, contents, modes of files and targets of links, and with nothing else", async () => {
  const directory = await mkdtemp(join(tmpdir(), "made-with-"));
  try {
    await mkdir(join(directory, "a/b"), { recursive: true });
    await writeFile(join(directory, "a/b/one"), "text", { mode: 0o644 });
    await symlink("b/one", join(directory, "a/link"));
    await writeFile(join(directory, "other"), "not named");
    const seen = [await digestOf({ directory, names: ["a"] })];
    const look = async (isNew: boolean, what: string) => {
      const digest = await digestOf({ directory, names: ["a"] });
      assert.equal(!seen.includes(digest), isNew, what);
      seen.push(digest);
    };
    await writeFile(join(directory, "other"), "changed");
    await chmod(join(directory, "a/b"), 0o700);
    await look(false, "nothing that counts");
    await writeFile(join(directory, "a/b/one"), "texts");
    await look(true, "a content");
    await chmod(join(directory, "a/b/one"), 0o755);
    await look(true, "a mode");
    await writeFile(join(directory, "a/b/two"), "");
    await look(true, "a file");
    await rm(join(directory, "a/link"));
    await symlink("b/two", join(directory, "a/link"));
    await look(true, "a link");
  } finally {
    await rm(directory, { recursive: true });
  }
});
