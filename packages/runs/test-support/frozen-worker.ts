/** A process with a lease keeper, which holds no leases and freezes when it is told to. */
import type { DatabaseAddress } from "@berth/store/db";
import { silentLog } from "@berth/store/test-support/database";
import { LeaseKeeper } from "../src/lease/lease-keeper.ts";

export interface ToFrozenWorker {
  address: DatabaseAddress;
  frozenMs: number;
}

process.on("message", (message: ToFrozenWorker | string) => {
  if (typeof message !== "string")
    new LeaseKeeper({ ...message, log: silentLog, owner: "own", leaseMs: 15_000, held: new Map() });
  else if (message === "freeze") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  process.send?.("yes");
});
