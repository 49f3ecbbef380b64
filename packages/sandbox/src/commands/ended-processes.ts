import { PIPES_INSIDE, SHELLS_INSIDE } from "../inside/environment.ts";
import type { Sandbox } from "../interface/sandbox.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4_096;
const FILE = `${SHELLS_INSIDE}/processes`;

/**
 * Records the running processes, for when the sandbox has ended. The end of each command in a named shell
 * also does this; here it covers processes that have ended since.
 *
 * @param secrets Texts to redact in the record.
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
 * Returns the command lines of the processes that ran when earlier sandboxes on this disk ended, until
 * `noteTold` is called. They come from the last sandbox, and from earlier ones that were not reported. The
 * text comes from the sandbox and is untrusted.
 */
export async function untoldProcesses(sandbox: Pick<Sandbox, "run">): Promise<string[]> {
  const { exitCode, output } = await sandbox.run({
    script: `cd ${SHELLS_INSIDE} || exit
is_record() { [ -s "$1" ] && [ -f "$1" ] && [ ! -L "$1" ]; }
if is_record processes; then
  if is_record ended; then head -c ${MAX_BYTES} processes >>ended && rm processes; else rm -rf ended; mv processes ended; fi
fi
! is_record ended || head -c ${MAX_BYTES} ended`,
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

/**
 * Records that the agent was told which processes ended with the last sandbox, and what was not restored in a
 * named shell. Until then, each new sandbox reports both again.
 */
export async function noteTold(sandbox: Pick<Sandbox, "run">): Promise<void> {
  const script = `rm -f ${SHELLS_INSIDE}/ended ${SHELLS_INSIDE}/*.untold`;
  await sandbox.run({ script, timeoutMs: TIMEOUT_MS });
}
