import type { Sandbox } from "../interface/sandbox.ts";
import { quote } from "../scripts/quote.ts";
import { perlText } from "../scripts/read-script.ts";

const UNPACK = perlText("saves/unpack.pl");
/** Exit code of `unpack.pl` for something that `packDisk` did not make. */
const DAMAGED = 61;

/**
 * `partial`: some files could not be made, as on a disk that is full. `damaged`: it is no archive of `packDisk`. `gone`: the sandbox
 * ended, or the time was over.
 */
export type UnpackOutcome = "whole" | "partial" | "damaged" | "gone";

/**
 * Unpacks what `packDisk` made, by processes of the sandbox: so it can do to it what the agent could do, on the disk and within the limits
 * of the sandbox, and nothing else.
 *
 * @param root made when it is missing.
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
