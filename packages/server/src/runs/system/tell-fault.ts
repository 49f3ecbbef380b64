import type { RunLog } from "../lease/run-log.ts";

/** Tells users and the model what of the environment is missing. */
export async function tellFault(
  { runLog, notes, mask }: { runLog: RunLog; notes: string[]; mask(text: string): string },
  fault: string,
): Promise<void> {
  const message = mask(fault);
  const error = { type: "environment_error" as const, message, retry_status: { type: "exhausted" as const } };
  await runLog.append([{ event: { type: "session.error", error } }]);
  notes.push(`[${message}]`);
}
