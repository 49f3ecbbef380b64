import assert from "node:assert/strict";
import { RuntimeClassError } from "../../src/interface/errors.ts";
import { conformanceTest, ok, type Suite, sh } from "./context.ts";

/** Tests of opening, closing and sweeping. */
export function lifecycleTests(suite: Suite): void {
  conformanceTest(suite, "close: running commands resolve as closed", async ({ open }) => {
    const sandbox = await open();
    const started = Promise.withResolvers<void>();
    const running = sandbox.run({
      script: "echo up; sleep 600",
      timeoutMs: 60_000,
      onOutput: () => started.resolve(),
    });
    const named = sandbox.run({ script: "sleep 600", shell: "main", timeoutMs: 60_000 });
    await started.promise;
    const from = performance.now();
    await sandbox.close();
    assert.ok(performance.now() - from < 30_000);
    assert.deepEqual([(await running).ended, (await running).exitCode], ["closed", null]);
    assert.equal((await named).ended, "closed");
    await sandbox.closed;
  });

  conformanceTest(
    suite,
    "close: later commands resolve as closed, and close may be repeated",
    async ({ open }) => {
      const sandbox = await open();
      await Promise.all([sandbox.close(), sandbox.close()]);
      await sandbox.close();
      assert.equal((await sandbox.run({ script: "echo", timeoutMs: 1000 })).ended, "closed");
      assert.equal((await sandbox.run({ script: "echo", shell: "main", timeoutMs: 1000 })).ended, "closed");
      assert.equal(await sandbox.placeFile({ source: "/etc/hostname", target: "/data/x" }), false);
      sandbox.setEgress({ mode: "limited", hosts: [] });
    },
  );

  conformanceTest(
    suite,
    "open: an id that is open → rejected; after close → opens again",
    async ({ subject, spec, open }) => {
      const one = spec();
      const sandbox = await open(one);
      await assert.rejects(subject.engine.open(one), { name: "SandboxError" });
      assert.equal(sandbox.id, one.id);
      await sandbox.close();
      await sandbox.closed;
      await open(one);
    },
  );

  conformanceTest(
    suite,
    "open: a runtime class that is not allowed, or that there cannot be → rejected with a sentence",
    async ({ subject, spec }) => {
      await assert.rejects(subject.engine.open(spec({ runtimeClass: "other" })), (error) => {
        assert.ok(error instanceof RuntimeClassError);
        assert.match(
          error.message,
          /^(Sandboxes of|The runtime class "other" is not allowed on) this installation/,
        );
        return true;
      });
    },
  );

  conformanceTest(
    suite,
    "open: an invalid spec → rejected, and its id stays free",
    async ({ subject, spec, open }) => {
      const one = spec();
      for (const bad of [
        { id: "UPPER" },
        { writable: ["/usr/local/x"] },
        { writable: ["relative"] },
        { files: [{ source: "/nonexistent", target: "/mnt/session/uploads/x" }] },
        { files: [{ source: "/etc/hostname", target: "/etc/x" }] },
      ])
        await assert.rejects(subject.engine.open({ ...one, ...bad }), { name: "SandboxError" });
      await open(one);
    },
  );

  conformanceTest(suite, "close: the disk is kept, and nothing else", async ({ spec, open }) => {
    const one = spec({ writable: ["/workspace", "/data/deep/er"] });
    const first = await open(one);
    const places = "/data /home/agent /mnt/session/outputs /workspace /data/deep/er /var/tmp /tmp";
    await ok(first, `for d in ${places} /dev/shm; do echo kept >$d/file || exit 1; done`);
    await ok(first, "sleep 600 &");
    await first.close();
    const second = await open(one);
    assert.equal(
      await ok(second, `for d in ${places}; do cat $d/file; done | sort | uniq -c | tr -d ' '`),
      "7kept",
    );
    assert.equal((await sh(second, "cat /dev/shm/file")).exitCode, 1);
    assert.equal(await ok(second, "stat -c %a /tmp /var/tmp | tr '\\n' ' '"), "1777 1777 ");
    assert.equal((await sh(second, "pgrep sleep || ps -e | grep sleep")).exitCode, 1);
  });

  conformanceTest(suite, "sweep: open sandboxes stay open", async ({ subject, open }) => {
    const sandbox = await open();
    assert.deepEqual(await subject.engine.sweep(), []);
    assert.equal(await ok(sandbox, "echo alive"), "alive");
  });

  conformanceTest(
    suite,
    "sweep: closes sandboxes whose id is rejected, and returns their ids",
    async ({ subject, spec, open }) => {
      const [one, other] = [spec(), spec()];
      const [forgotten, kept] = [await open(one), await open(other)];
      const running = forgotten.run({ script: "sleep 600", timeoutMs: 60_000 });
      assert.deepEqual(await subject.engine.sweep((id) => id !== one.id), [one.id]);
      assert.equal((await running).ended, "closed");
      assert.equal(await ok(kept, "echo alive"), "alive");
      assert.equal(await ok(await open(one), "echo again"), "again");
    },
  );

  conformanceTest(
    suite,
    "probe: each capability has a sentence that says what to do",
    async ({ subject }) => {
      const capabilities = await subject.engine.probe();
      assert.ok(capabilities.length > 0);
      for (const { name, state, detail } of capabilities) {
        assert.match(name, /^[a-z0-9_]+$/);
        assert.ok(["yes", "no", "degraded"].includes(state));
        assert.match(detail, /\.$/);
      }
    },
  );
}
