import type { Sandbox } from "../interface/sandbox.ts";
import { quote } from "../scripts/quote.ts";
import { perlText } from "../scripts/read-script.ts";

const UNPACK = perlText("saves/unpack.pl");
/** Exit code of `unpack.pl` for input that `packDisk` did not make. */
const DAMAGED = 61;

/**
 * `partial`: some files could not be made, for example on a full disk. `damaged`: the input is not an archive
 * of `packDisk`. `gone`: the sandbox ended, or the command was stopped.
 */
export type UnpackOutcome = "whole" | "partial" | "damaged" | "gone";

/**
 * Unpacks an archive of `packDisk`, by processes of the sandbox. So a hostile archive can do only what the
 * agent could do, on the disk and within the sandbox's limits.
 *
 * @param root Directory, created when missing.
 * @throws what the source throws.
 */
export async function unpackDisk(
  sandbox: Pick<Sandbox, "run">,
  root: string,
  source: AsyncIterable<Uint8Array>,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<UnpackOutcome> {
  let failure: { error: unknown } | undefined;
  async function* watched() {
    try {
      yield* source;
    } catch (error) {
      failure = { error };
    }
  }
  const { ended, exitCode } = await sandbox.run({
    script: `exec >/dev/null 2>&1; exec perl -e ${quote(UNPACK)} -- ${quote(root)}`,
    stdinStream: watched(),
    cwd: "/",
    environment: { LC_ALL: "C" },
    maxOutputBytes: 0,
    timeoutMs,
    ...(signal === undefined ? {} : { signal }),
  });
  if (failure !== undefined) throw failure.error;
  if (ended !== "exit") return "gone";
  if (exitCode === DAMAGED) return "damaged";
  return exitCode === 0 ? "whole" : "partial";
}
