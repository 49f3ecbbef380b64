import assert from "node:assert/strict";
import { test } from "node:test";
import { formatId, newUuid } from "@berth/contract";
import type { RemoteRefs, SetupFailure } from "@berth/sandbox";
import { pino } from "pino";
import { scriptedEngine } from "../../test-support/worker.ts";
import type { Placement } from "../inputs/placement.ts";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { RunLog } from "../lease/run-log.ts";
import { Activity } from "./activity.ts";
import { cloneInto } from "./clone-into.ts";
import { PrefetchedRefs } from "./snapshots/prefetched-refs.ts";
import type { SetupOutcome } from "./snapshots/setup-builder.ts";

const repository = {
  id: newUuid(),
  type: "git_repository",
  url: "https://git.example/acme/app",
  mountPath: "/data/app",
  username: null,
  checkout: null,
  snapshot: null,
} as RunRepository;
const plain = { commit: "a".repeat(40) };
const FAILURE: SetupFailure = { why: "it ended with exit code 2", output: "what it read in the repository" };

/** Makes one attempt with the given outcome of its setup and placement of its clone. */
async function attempt(t: { after(end: () => unknown): void }, outcome: SetupOutcome, placement: Placement) {
  const engine = scriptedEngine();
  const sandbox = await engine.open({
    id: "it",
    disk: "/tmp",
    uid: 1,
    limits: LIMITS,
    egress,
    files: [],
    writable: [],
  });
  t.after(() => sandbox.close());
  const inside = { ...repository, secret: null };
  let held = 0;
  let heldWhileWaiting = -1;
  const lines: Array<{ msg: string; resource?: string }> = [];
  const snapshots = {
    remoteRefs: async (): Promise<RemoteRefs | null> => null,
    mount: async () => null,
    release: async () => {},
    requestBuild: () => {},
    whyNone: () => null,
    recordClone: () => {},
    setUp: async () => {
      heldWhileWaiting = held;
      return outcome;
    },
  };
  const parts = {
    credentials: {
      repositoryInside: async () => inside,
      unsealedRepository: () => inside,
      withToken: async (one: RunRepository) => one,
    },
    clone: async () => placement,
    snapshots,
    mask: (text: string) => text,
    log: pino({}, { write: (line) => lines.push(JSON.parse(line)) }),
  };
  const activity = new Activity(() => {});
  const target = {
    session: {
      repositorySetup: { script: "make", isRequired: false },
      devcontainer: null,
      toChoose: null,
      variables: {},
      networking: { type: "unrestricted" as const },
    },
    system: null,
    runtimes: null,
    choice: null,
    writable: [],
    onEgressDenied() {},
    lease: { sessionId: newUuid(), organizationId: newUuid(), owner: "me", epoch: 1 },
    sandbox,
    runLog: { append: async () => [] } as unknown as RunLog,
    refs: new PrefetchedRefs(),
    restored: new Map(),
    leftToNext: new Map(),
    activity,
    async inSlot<T>(work: () => Promise<T>) {
      held += 1;
      return await work().finally(() => {
        held -= 1;
      });
    },
  };
  const placed = await activity.run(() => cloneInto(parts, target, repository, new Set()));
  return { placed, heldWhileWaiting, commands: engine.commands.length, lines };
}

const LIMITS = { memoryBytes: 1, pids: 1, cpus: 1, diskBytes: null };
const egress = { mode: "limited" as const, hosts: [] };

test("cloneInto: it waits for a setup without a slot, and runs one here that cannot be kept", async (t) => {
  const { placed, heldWhileWaiting, commands, lines } = await attempt(t, "unavailable", plain);
  assert.deepEqual(placed, plain);
  assert.equal(heldWhileWaiting, 0);
  assert.equal(commands, 1);
  assert.deepEqual(
    lines.map(({ msg, resource }) => [msg, resource]),
    [["a repository was cloned", formatId("session_resource", repository.id)]],
  );
});

test("cloneInto: a setup fails → it is not tried here, and is told with what is in place", async (t) => {
  const { placed, commands } = await attempt(t, FAILURE, plain);
  assert.ok(placed !== "later" && !("fault" in placed));
  assert.match(placed.unprepared ?? "", /exit code 2[\s\S]*what it read/);
  assert.equal(commands, 0);
});

test("cloneInto: a shared setup fails, and the session may not read the repository → its output is not told", async (t) => {
  const denied: Placement = { fault: { type: "repository_authentication_error", message: "401." } };
  assert.deepEqual((await attempt(t, FAILURE, denied)).placed, denied);
});
