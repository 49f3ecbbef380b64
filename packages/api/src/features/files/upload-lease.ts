import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { isOfDeadProcess, processName } from "@berth/linux";
import type { Queryable } from "@berth/store/db";
import { dropReceiver, keepReceiver, receiverOf, takeReceiver } from "./upload-store.ts";

/** A receiver that is not heard of for this long loses the file. */
const LEASE_MS = 15_000;
const RENEW_MS = LEASE_MS / 3;
const RETRY_MS = 250;

/** The right of one request to receive the content of a file: no other request, of any process, writes it meanwhile. */
export interface UploadLease {
  receiver: string;
  release(): Promise<void>;
}

/**
 * Takes the file. When a request of another process has it, waits until that one ends, or is not heard of; a dead process of this
 * machine is not waited for. Null when a request of this process has it, or the wait is over.
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
      // Without the database the lease lapses.
      await dropReceiver(db, fileId, receiver).catch(() => undefined);
    },
  };
}

function processOf(receiver: string): string {
  return receiver.slice(0, receiver.lastIndexOf("."));
}
