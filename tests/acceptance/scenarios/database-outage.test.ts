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
  "a database that does not answer is 500 api_error, and its return is noticed",
  async () => {
    assert.equal((await api.get("/agents")).status, 200);
    const postmaster = Number(
      readFileSync(join(berth.dataDir, "postgres/cluster/postmaster.pid"), "utf8").split("\n")[0],
    );
    process.kill(postmaster, "SIGSTOP");
    try {
      for (const connection of connectionsOf(postmaster)) process.kill(connection, "SIGTERM");
      const headers = { "x-request-id": "while-it-is-away" };
      const answer = await api.get("/agents", { headers });
      assertError(answer, 500, "api_error", { message: /cannot reach its database/ });
      assert.deepEqual(Object.keys(answer.body), ["type", "request_id", "error"]);
      assert.equal(answer.body.request_id, "while-it-is-away");
      assert.equal(answer.headers.get("x-should-retry"), null, "it may be tried again");
    } finally {
      process.kill(postmaster, "SIGCONT");
    }
    const signal = AbortSignal.timeout(60_000);
    let { status } = await api.get("/agents");
    for (; status === 500; { status } = await api.get("/agents")) await pause(50, undefined, { signal });
    assert.equal(status, 200);
  },
);

/** The processes of a PostgreSQL that serve a client each. */
function connectionsOf(postmaster: number): number[] {
  const processes = execFileSync("ps", ["--ppid", `${postmaster}`, "-o", "pid=,args="], { encoding: "utf8" });
  const serving = processes.split("\n").filter((line) => /\[local\]|\d+\.\d+\.\d+\.\d+\(\d+\)/.test(line));
  assert.ok(serving.length > 0, processes);
  return serving.map((line) => Number.parseInt(line, 10));
}
