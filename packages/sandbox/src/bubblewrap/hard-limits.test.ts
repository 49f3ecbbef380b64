// Subject: sandboxes of a process with lower hard limits than theirs (host/resource-limits.ts).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { mayDumpCore } from "../host/core-dumps.ts";

const SUPPORT = JSON.stringify(new URL("../../test-support/bubblewrap.ts", import.meta.url).href);
const PROGRAM = `import { freshEngine, openIn } from ${SUPPORT};
  const fresh = await freshEngine("test-hard-limits-" + process.pid);
  const sandbox = await openIn(fresh, "lowered");
  const script = "ulimit -H -c; ulimit -H -n; ulimit -H -u";
  const { output } = await sandbox.run({ script, shell: "main", timeoutMs: 60_000 });
  await fresh.close();
  console.log(new TextDecoder().decode(output));`;

test("the hard limits of a service hold in its sandboxes, which open", () => {
  const lowered = ["--core=4096:4096", "--nofile=3000:3000", "--nproc=2000:2000"];
  const { stdout, stderr } = spawnSync(
    "prlimit",
    [...lowered, process.execPath, "--input-type=module", "--eval", PROGRAM],
    { encoding: "utf8", timeout: 600_000 },
  );
  const [core, files, processes] = stdout.split("\n").map(Number);
  // The shell counts in blocks of 1,024 bytes.
  assert.deepEqual([core, files], [mayDumpCore() ? 4 : 0, 3_000], stderr);
  // Without control groups, it is the sandbox's own limit.
  assert.ok(processes !== undefined && processes > 0 && processes <= 2_000, `${processes}`);
});
