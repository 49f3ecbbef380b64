import assert from "node:assert/strict";
import { test } from "node:test";
import { openNamespace } from "./container-process.ts";

test("openNamespace: a process that is in no container → rejected", () => {
  const container = "c0ffee".repeat(10);
  for (const pid of [process.pid, process.ppid, 1, 0, -1, 2 ** 30, Number.NaN])
    assert.throws(() => openNamespace(container, pid, "net"), {
      name: "SandboxError",
      message: /same machine/,
    });
  // Being in the same control group does not make a process the container's.
  assert.throws(() => openNamespace("/", process.pid, "net"), { name: "SandboxError" });
});
