/** The thread that renews the leases of a worker (`lease-keeper`), with its own database connection. */
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { type DatabaseAddress, openWritePool } from "@berth/store/db";
import { type Lease, sessionFields } from "@berth/store/leases";
import { recordCrash, SET_ASIDE } from "./crashed-store.ts";
import { LeaseRenewals } from "./lease-renewals.ts";
import { LeaseSigns } from "./lease-signs.ts";
import { watchForFreeze } from "./watch-for-freeze.ts";

export interface LeaseThreadData {
  address: DatabaseAddress;
  owner: string;
  leaseMs: number;
  frozenMs: number;
  memory: SharedArrayBuffer;
}

/** A message to the thread. */
export type ToLeaseThread = { hold: Lease } | { drop: Pick<Lease, "sessionId" | "epoch"> } | { close: true };

/** A message from the thread. */
export type FromLeaseThread = { lost: readonly Lease[] } | { failure: string };

/** Milliseconds that the database has to record the crash before a frozen process is killed. */
const COUNT_MS = 5_000;

const data = workerData as LeaseThreadData;
const { owner, leaseMs, frozenMs } = data;
const signs = new LeaseSigns(data.memory);
const db = openWritePool(data.address, 1);
const tell = (message: FromLeaseThread) => parentPort?.postMessage(message);
const renewals = new LeaseRenewals({
  ...{ db, owner, leaseMs, signs },
  onLost: (lost) => tell({ lost }),
  onFailure: (error) => tell({ failure: error instanceof Error ? error.message : `${error}` }),
});
const freeze = watchForFreeze(signs, frozenMs, () => void endProcess());

parentPort?.on("message", (message: ToLeaseThread) => {
  if ("hold" in message) renewals.hold(message.hold);
  else if ("drop" in message) renewals.drop(message.drop);
  else void close();
});

async function close(): Promise<void> {
  freeze.close();
  renewals.close();
  await db.close();
  parentPort?.close();
}

/**
 * Kills the process. Records the crash before, if the database responds, since the session that froze it may
 * freeze the next process too.
 */
async function endProcess(): Promise<void> {
  write({
    silent_ms: frozenMs,
    msg: "the runner is frozen, so it exits; other runners continue its sessions",
  });
  const counting = recordCrash(db, owner).then((sessions) => {
    for (const session of sessions) write({ ...sessionFields(session), msg: SET_ASIDE });
  });
  await Promise.race([counting, pause(COUNT_MS)]).catch(({ message }: Error) => write({ msg: message }));
  process.kill(process.pid, "SIGKILL");
}

/** Writes a log line to stderr: the logger of the process belongs to the frozen thread. */
function write(line: object): void {
  const time = new Date().toISOString();
  writeSync(2, `${JSON.stringify({ level: 60, time, pid: process.pid, part: "runner", ...line })}\n`);
}
