import { MAX_MEMORY_BYTES } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";

const READING_MS = 60_000;
/** Bytes that one command reads. */
const BATCH_BYTES = 4 * 1024 * 1024;
const MAX_LINE = Math.ceil((MAX_MEMORY_BYTES + 1) / 3) * 4 + 2;

/** Prints for each path `=` and the bytes in base64, or `!` when it is not a readable regular file. */
const SCRIPT = `exec 2>/dev/null
while IFS= read -r path; do
  file=$ROOT$path
  if [ -f "$file" ] && [ ! -L "$file" ] && [ -r "$file" ]; then
    printf '='
    dd if="$file" bs=65536 count="$MOST" iflag=nofollow,nonblock,fullblock,count_bytes status=none | base64 -w0
    echo
  else
    echo '!'
  fi
done`;

/**
 * Reads files of a mount: their bytes by path, null for a file that cannot be read. A file that exceeds the
 * size limit of a memory is cut one byte after it.
 *
 * @param paths without control characters.
 * @returns null when a command did not end.
 */
export async function readFiles(
  sandbox: Sandbox,
  root: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, Buffer | null> | null> {
  const contents = new Map<string, Buffer | null>();
  const step = Math.max(1, Math.floor(BATCH_BYTES / MAX_LINE));
  for (let from = 0; from < paths.length; from += step) {
    const batch = paths.slice(from, from + step);
    const { ended, omittedBytes, output } = await sandbox.run({
      script: SCRIPT,
      cwd: "/",
      environment: { ROOT: root, MOST: String(MAX_MEMORY_BYTES + 1), LC_ALL: "C" },
      stdin: Buffer.from(batch.map((path) => `${path}\n`).join("")),
      timeoutMs: READING_MS,
      maxOutputBytes: batch.length * MAX_LINE,
      signal,
    });
    const lines = Buffer.from(output).toString("latin1").split("\n");
    if (ended !== "exit" || omittedBytes > 0 || lines.length !== batch.length + 1) return null;
    for (const [index, path] of batch.entries()) contents.set(path, parse(lines[index] ?? "!"));
  }
  return contents;
}

function parse(line: string): Buffer | null {
  return line.startsWith("=") ? Buffer.from(line.slice(1), "base64") : null;
}
