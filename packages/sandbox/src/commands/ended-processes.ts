import { PIPES_INSIDE, SHELLS_INSIDE } from "../inside/environment.ts";
import type { Sandbox } from "../interface/sandbox.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4_096;
const FILE = `${SHELLS_INSIDE}/processes`;

/**
 * Records which processes run, for when the sandbox has ended. The end of each command in a named shell does it, too: this is
 * for processes that have ended since.
 *
 * @param secrets are left out of what is recorded.
 */
export async function recordProcesses(
  sandbox: Pick<Sandbox, "run">,
  secrets: readonly string[],
): Promise<void> {
  await sandbox.run({
    script: `[ ! -s ${FILE} ] || exec bash --noprofile --norc ${PIPES_INSIDE}/record-processes`,
    stdin: Buffer.from(secrets.map((secret) => `${secret}\0`).join("")),
    timeoutMs: TIMEOUT_MS,
  });
}

/**
 * The command lines of the processes that ran when the last sandbox on this disk ended. Returned once: the record is removed.
 * The text comes from the sandbox.
 */
export async function takeEndedProcesses(sandbox: Pick<Sandbox, "run">): Promise<string[]> {
  const { exitCode, output } = await sandbox.run({
    script: `[ -f ${FILE} ] && [ ! -L ${FILE} ] && [ -s ${FILE} ] && head -c ${MAX_BYTES} ${FILE}; rm -f ${FILE}`,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_BYTES,
  });
  if (exitCode !== 0) return [];
  const lines = Buffer.from(output)
    .toString("utf8")
    .split("\n")
    .map((line) => line.replaceAll(/\p{C}+/gu, " ").trim());
  return lines.filter((line) => line !== "");
}
