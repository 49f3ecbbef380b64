import type { RunLog } from "../lease/run-log.ts";

/** Reports to users and the model which part of the environment is missing. */
export async function reportMissing(
  { mask }: { mask(text: string): string },
  { runLog, notes }: { runLog: Pick<RunLog, "append">; notes: string[] },
  fault: string,
): Promise<void> {
  const message = mask(fault);
  const error = {
    type: "environment_error" as const,
    message,
    retry_status: { type: "exhausted" as const },
  };
  await runLog.append([{ event: { type: "session.error", error } }]);
  notes.push(`[${message}]`);
}
