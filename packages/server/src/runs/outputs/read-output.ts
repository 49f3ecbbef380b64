import type { Sandbox } from "@berth/sandbox";
import { OUTPUTS, type Output } from "./list-outputs.ts";

/** Bytes of a file that are in memory at once. */
const PIECE_BYTES = 4 * 1024 * 1024;
const PIECE_MS = 60_000;

/** A file could not be read to the size that it was listed with. */
export class UnreadableOutput extends Error {}

/** The sandbox ended, or there was no time left. */
export class ReadingCut extends Error {}

/** The name comes as octal escapes, since a variable holds no bytes that are not UTF-8. */
const READ_SCRIPT = `exec 2>/dev/null
file=$(printf '%b.' "$NAME")
file=${OUTPUTS}/\${file%.}
exec dd if="$file" bs=65536 skip="$FROM" count="$COUNT" iflag=nofollow,nonblock,skip_bytes,count_bytes status=none`;

/**
 * The bytes of a file inside, up to the size that it was listed with, piece by piece as they are asked for.
 *
 * @throws UnreadableOutput, ReadingCut
 */
export async function* readOutput(
  sandbox: Sandbox,
  output: Output,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < output.size; from += PIECE_BYTES) {
    const count = Math.min(PIECE_BYTES, output.size - from);
    const read = await sandbox.run({
      script: READ_SCRIPT,
      cwd: "/",
      environment: { NAME: escaped(output.path), FROM: `${from}`, COUNT: `${count}`, LC_ALL: "C" },
      timeoutMs: PIECE_MS,
      maxOutputBytes: count,
      signal,
    });
    if (read.ended !== "exit") throw new ReadingCut();
    const whole = read.output.length === count && read.omittedBytes === 0;
    if (read.exitCode !== 0 || !whole) throw new UnreadableOutput();
    yield read.output;
  }
}

function escaped(path: Buffer): string {
  return Array.from(path, (byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
}
