// Subject: every probe, and the program `test-support/unconfined-environment.ts`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ALL_PROBES } from "./all-probes.ts";
import type { Probe } from "./probe.ts";

const program = fileURLToPath(new URL("../../test-support/unconfined-environment.ts", import.meta.url));
const skip = process.getuid?.() === 0 ? false : "only root can create the environment";

/** Errors of a kernel that was built without a feature, where the probe cannot succeed. */
const LACKS = ["absent", "ENOSYS", "EAFNOSUPPORT", "EPROTONOSUPPORT", "ENODEV"];
/** Maximum number of probes that may need a feature which this machine's kernel lacks. */
const MAX_LACKING = 25;

type Result = { id: string; state: string; detail: string };

test("all probes: ids → unique and one word each", () => {
  assert.equal(new Set(ALL_PROBES.map(({ id }) => id)).size, ALL_PROBES.length);
  for (const { id } of ALL_PROBES) assert.match(id, /^[a-z0-9_]+$/);
});

for (const role of ["user", "root"] as const) {
  test(`probes that succeed as ${role}: run without a sandbox → they succeed`, {
    skip,
    timeout: 300_000,
  }, async (context) => {
    const results = await runUnconfined(role);
    const expected = ALL_PROBES.filter(({ succeedsAs }) => succeedsAs === role);
    const held = expected.filter(({ id }) => results.get(id)?.state !== "breached");
    const describeResult = (probe: Probe) => `${probe.id}: ${JSON.stringify(results.get(probe.id))}`;
    const lacking = held.filter(({ id }) => LACKS.includes(results.get(id)?.detail ?? ""));
    context.diagnostic(
      `${expected.length - held.length} succeed; lacking here: ${lacking.map(({ id }) => id).join(", ")}`,
    );
    assert.deepEqual(held.filter((probe) => !lacking.includes(probe)).map(describeResult), []);
    assert.ok(lacking.length <= MAX_LACKING, lacking.map(describeResult).join("\n"));
  });
}

async function runUnconfined(role: "user" | "root"): Promise<Map<string, Result>> {
  const home = await mkdtemp(join(tmpdir(), "berth-open-"));
  try {
    const namespaces = ["--mount", "--net", "--ipc", "--uts", "--pid", "--cgroup", "--fork", "--mount-proc"];
    const command = [...namespaces, "--propagation=private", "--", process.execPath, program, role, home];
    // Gives process 1 a pipe as its output, as a shell would; Node would give it a socket.
    const piped = ["-c", `unshare "$@" | cat`, "sh", ...command];
    const { stdout } = await promisify(execFile)("sh", piped, { timeout: 250_000 });
    const results: Result[] = JSON.parse(stdout);
    return new Map(results.map((result) => [result.id, result]));
  } finally {
    await rmdir(home);
  }
}
