import {
  DiskLimitError,
  ImageError,
  NoRoomError,
  RootFilesystemError,
  RuntimeClassError,
  WaitOverError,
} from "@berth/sandbox";
import type { Logger } from "pino";
import type { RunLog } from "../lease/run-log.ts";

/** Errors whose message is a sentence for users. */
const FOR_USERS = [
  DiskLimitError,
  ImageError,
  NoRoomError,
  RootFilesystemError,
  RuntimeClassError,
  WaitOverError,
];

/** Returns whether the message of a failure to open a sandbox is a sentence for users. */
export function isForUsers(error: unknown): error is Error {
  return FOR_USERS.some((kind) => error instanceof kind);
}

/** Reports in the session's log that no sandbox could be opened, unless none is needed. */
export async function reportFailure(
  {
    log,
    runLog,
    signal,
  }: { log: Pick<Logger, "error">; runLog: Pick<RunLog, "append">; signal: AbortSignal },
  failure: unknown,
): Promise<void> {
  if (signal.aborted) return;
  log.error({ err: failure }, "a sandbox could not be opened");
  const message = isForUsers(failure) ? failure.message : "The session's sandbox could not be opened.";
  const error = { type: "sandbox_error" as const, message, retry_status: { type: "terminal" as const } };
  await runLog.append([{ event: { type: "session.error", error } }]);
}
