/**
 * A process with a worker whose commands cause uncaught errors: those with `throw`, `reject` or `emit`.
 * Closing a sandbox causes one too while `throwsAtClose` is set.
 */
import { Readable } from "node:stream";
import { catchFaults } from "@berth/concurrency";
import { openDatabase } from "@berth/store/db";
import { silentLog } from "@berth/store/test-support/database";
import type { SocketConnection } from "@berth/store/test-support/internals/db";
import { installation } from "./worker.ts";

export type ToFaultyWorker = { connection: SocketConnection } | { throwsAtClose: boolean } | { throws: true };

const FAULTS: Readonly<Record<string, () => void>> = {
  throw: () => {
    setImmediate(() => {
      throw new Error("thrown by a callback");
    });
  },
  reject: () => void Promise.reject(new Error("rejected by nobody's promise")),
  emit: () => new Readable().destroy(new Error("emitted by a stream")),
};

let throwsAtClose = false;
// Handlers that the test support has installed would catch the errors.
process.removeAllListeners("uncaughtException").removeAllListeners("unhandledRejection");
catchFaults(() => process.exit(7));

process.on("message", async (message: ToFaultyWorker) => {
  if ("connection" in message) await start(message.connection);
  else if ("throwsAtClose" in message) throwsAtClose = message.throwsAtClose;
  else throw new Error("thrown in no session");
  process.send?.("done");
});

async function start(connection: SocketConnection): Promise<void> {
  const db = openDatabase({ connection, log: silentLog });
  const own = await installation({ after: () => undefined }, db);
  own.engine.events.on("command", (script: string) => {
    for (const [word, fault] of Object.entries(FAULTS)) if (script.includes(word)) fault();
  });
  own.engine.events.on("closed", () => {
    if (throwsAtClose) FAULTS.throw?.();
  });
  await own.worker({ leaseMs: 10_000, pollMs: 200, sandboxIdleMs: 50 });
}
