import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { isOfDeadProcess, processName } from "@berth/linux";
import type { Queryable } from "@berth/store/db";
import { dropReceiver, keepReceiver, receiverOf, takeReceiver } from "./upload-store.ts";

/** Milliseconds after which a silent receiver loses the file. */
const LEASE_MS = 15_000;
const RENEW_MS = LEASE_MS / 3;
const RETRY_MS = 250;

/** Lease of one request on a file's upload. No other request, of any process, writes it meanwhile. */
export interface UploadLease {
  receiver: string;
  release(): Promise<void>;
}

/**
 * Takes the lease on a file's upload. Waits while a request of another process holds it and renews it, unless
 * that process was on this machine and is dead. Returns null when a request of this process holds it, or the
 * wait is over.
 */
export async function takeUpload(db: Queryable, fileId: string): Promise<UploadLease | null> {
  const receiver = processName(randomBytes(8).toString("hex"));
  const deadline = performance.now() + LEASE_MS + RETRY_MS;
  while (!(await takeReceiver(db, fileId, { receiver, from: null }))) {
    const holder = await receiverOf(db, fileId);
    if (holder !== null && processOf(holder) === processOf(receiver)) return null;
    if (
      holder !== null &&
      isOfDeadProcess(holder) &&
      (await takeReceiver(db, fileId, { receiver, from: holder }))
    )
      break;
    if (performance.now() > deadline) return null;
    await pause(RETRY_MS);
  }
  const renewal = setInterval(() => keepReceiver(db, fileId, receiver).catch(() => undefined), RENEW_MS);
  return {
    receiver,
    async release() {
      clearInterval(renewal);
      // When the database is unreachable, the lease expires by itself.
      await dropReceiver(db, fileId, receiver).catch(() => undefined);
    },
  };
}

function processOf(receiver: string): string {
  return receiver.slice(0, receiver.lastIndexOf("."));
}
