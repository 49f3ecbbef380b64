import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { assertError } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";

const { berth, api } = await startBerth();

covers(
  ["error-internal"],
  "database outage: 500 api_error, and the service recovers with the database",
  async () => {
    assert.equal((await api.get("/agents")).status, 200);
    const postmaster = Number(
      readFileSync(join(berth.dataDir, "postgres/cluster/postmaster.pid"), "utf8").split("\n")[0],
    );
    process.kill(postmaster, "SIGSTOP");
    try {
      for (const backend of backendsOf(postmaster)) process.kill(backend, "SIGTERM");
      const headers = { "x-request-id": "during-outage" };
      const response = await api.get("/agents", { headers });
      assertError(response, 500, "api_error", { message: /cannot reach its database/ });
      assert.deepEqual(Object.keys(response.body), ["type", "request_id", "error"]);
      assert.equal(response.body.request_id, "during-outage");
      assert.equal(response.headers.get("x-should-retry"), null, "the request may be retried");
    } finally {
      process.kill(postmaster, "SIGCONT");
    }
    const signal = AbortSignal.timeout(60_000);
    let { status } = await api.get("/agents");
    for (; status === 500; { status } = await api.get("/agents")) await pause(50, undefined, { signal });
    assert.equal(status, 200);
  },
);

/** Returns the backend processes of a PostgreSQL server. */
function backendsOf(postmaster: number): number[] {
  const processes = execFileSync("ps", ["--ppid", `${postmaster}`, "-o", "pid=,args="], { encoding: "utf8" });
  const serving = processes.split("\n").filter((line) => /\[local\]|\d+\.\d+\.\d+\.\d+\(\d+\)/.test(line));
  assert.ok(serving.length > 0, processes);
  return serving.map((line) => Number.parseInt(line, 10));
}
