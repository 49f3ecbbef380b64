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
const skip = process.getuid?.() === 0 ? false : "only root can make an environment that holds nothing";

/** What a kernel says that was built without a thing, which no environment can open then. */
const LACKS = ["absent", "ENOSYS", "EAFNOSUPPORT", "EPROTONOSUPPORT", "ENODEV"];
/** So many of the probes may be about what this machine's kernel lacks. */
const MAX_LACKING = 25;

type Opened = { id: string; state: string; detail: string };

test("probe ids are unique and a word each", () => {
  assert.equal(new Set(ALL_PROBES.map(({ id }) => id)).size, ALL_PROBES.length);
  for (const { id } of ALL_PROBES) assert.match(id, /^[a-z0-9_]+$/);
});

for (const role of ["user", "root"] as const) {
  test(`each probe for which a plain ${role} is enough succeeds where nothing holds it`, {
    skip,
    timeout: 300_000,
  }, async (context) => {
    const opened = await runOpen(role);
    const expected = ALL_PROBES.filter(({ opens }) => opens === role);
    const held = expected.filter(({ id }) => opened.get(id)?.state !== "breached");
    const told = (probe: Probe) => `${probe.id}: ${JSON.stringify(opened.get(probe.id))}`;
    const lacking = held.filter(({ id }) => LACKS.includes(opened.get(id)?.detail ?? ""));
    context.diagnostic(
      `${expected.length - held.length} succeed; lacking here: ${lacking.map(({ id }) => id).join(", ")}`,
    );
    assert.deepEqual(held.filter((probe) => !lacking.includes(probe)).map(told), []);
    assert.ok(lacking.length <= MAX_LACKING, lacking.map(told).join("\n"));
  });
}

async function runOpen(role: "user" | "root"): Promise<Map<string, Opened>> {
  const home = await mkdtemp(join(tmpdir(), "berth-open-"));
  try {
    const namespaces = ["--mount", "--net", "--ipc", "--uts", "--pid", "--cgroup", "--fork", "--mount-proc"];
    const command = [...namespaces, "--propagation=private", "--", process.execPath, program, role, home];
    // Process 1 has a pipe as its output, as under a shell, where Node would give it a socket.
    const piped = ["-c", `unshare "$@" | cat`, "sh", ...command];
    const { stdout } = await promisify(execFile)("sh", piped, { timeout: 250_000 });
    const results: Opened[] = JSON.parse(stdout);
    return new Map(results.map((result) => [result.id, result]));
  } finally {
    await rmdir(home);
  }
}
