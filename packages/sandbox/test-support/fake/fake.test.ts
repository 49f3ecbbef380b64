// Subject: fake-engine.ts and fake-sandbox.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SandboxSpec } from "../../src/interface/spec.ts";
import { conformance } from "../conformance/conformance.ts";
import { createFakeEngine } from "./fake-engine.ts";

const spec: SandboxSpec = {
  id: "a",
  disk: "/nowhere",
  uid: 70_000,
  limits: { memoryBytes: 1, pids: 1, cpus: 1, diskBytes: null },
  egress: { mode: "limited", hosts: [] },
  files: [],
  writable: [],
};

conformance(
  "fake",
  async () => {
    // The part of a shell that the tests need.
    const engine = createFakeEngine({
      run({ script }) {
        const output = /^echo (\w+)/.exec(script)?.[1];
        return {
          ...(output ? { output: `${output}\n` } : {}),
          ...(script.includes("sleep") ? { until: "never" } : {}),
        };
      },
    });
    return { engine, uid: 70_000, close: () => engine.close() };
  },
  {
    "*": "the fake runs no shell and has no file system",
    "close: running commands resolve as closed": "",
    "close: later commands resolve as closed, and close may be repeated": "",
    "open: an id that is open → rejected; after close → opens again": "",
    "sweep: open sandboxes stay open": "",
    "probe: each capability has a sentence that says what to do": "",
    "shell: an abort ends the wait for a busy shell": "",
  },
);

test("fake engine: fails where the script says so", async () => {
  const engine = createFakeEngine({
    open: (_, count) => (count === 1 ? "no room" : undefined),
    run: ({ script }) =>
      script === "die" ? { dies: true } : script === "break" ? { rejects: "broken" } : { exitCode: 3 },
    removeFile: (target) => (target === "/bad" ? "stuck" : target !== "/mounted"),
    placeFile: ({ target }) => (target === "/bad" ? "unreadable" : target !== "/elsewhere"),
  });
  const sandbox = await engine.open(spec);
  await assert.rejects(engine.open({ ...spec, id: "b" }), { name: "SandboxError", message: "no room" });
  assert.equal((await sandbox.run({ script: "x", timeoutMs: 1000 })).exitCode, 3);
  await assert.rejects(sandbox.run({ script: "break", timeoutMs: 1000 }), { message: "broken" });
  assert.equal(await sandbox.placeFile({ source: "/s", target: "/elsewhere" }), false);
  assert.equal(await sandbox.placeFile({ source: "/s", target: "/data/x" }), true);
  await assert.rejects(sandbox.placeFile({ source: "/s", target: "/bad" }), { name: "SandboxError" });
  assert.equal(await sandbox.removeFile("/mounted"), false);
  assert.equal(await sandbox.removeFile("/data/x"), true);
  await assert.rejects(sandbox.removeFile("/bad"), { name: "SandboxError", message: "stuck" });
  assert.deepEqual(engine.sandboxes[0]?.removed, ["/data/x"]);
  assert.equal((await sandbox.run({ script: "die", timeoutMs: 1000 })).ended, "closed");
  await sandbox.closed;
  assert.equal((await sandbox.run({ script: "x", timeoutMs: 1000 })).ended, "closed");
  assert.deepEqual(
    engine.sandboxes[0]?.commands.map(({ script }) => script),
    ["x", "break", "die"],
  );
});

test("fake engine: a slow command times out with its output, and shells keep order and directory", async () => {
  const gate = Promise.withResolvers<void>();
  const engine = createFakeEngine({
    run: ({ script }) =>
      script === "slow"
        ? { output: "said", until: "never" }
        : script === "wait"
          ? { until: gate.promise, cwd: "/tmp" }
          : {},
  });
  const sandbox = await engine.open(spec);
  const slow = await sandbox.run({ script: "slow", timeoutMs: 20 });
  assert.deepEqual(
    [slow.ended, slow.exitCode, Buffer.from(slow.output).toString()],
    ["timeout", null, "said"],
  );
  const first = sandbox.run({ script: "wait", shell: "main", timeoutMs: 5000 });
  const second = sandbox.run({ script: "next", shell: "main", timeoutMs: 5000 });
  gate.resolve();
  assert.deepEqual([(await first).cwd, (await second).cwd], ["/tmp", "/tmp"]);
  const long = await sandbox.run({ script: "", timeoutMs: 1000, maxOutputBytes: 4 });
  assert.equal(long.omittedBytes, 0);
});
