import type { Sandbox } from "@berth/sandbox";
import { CHOICE_FILES, LOCK_FILES, type RepositoryFile } from "../choices/choose.ts";

/** The most bytes of a file that are read. Larger ones are generated, and none asks for a runtime. */
const MAX_BYTES = 262_144;
/** The bytes of a lock file that are read. */
const LOCK_BYTES = 4_096;
const ALL_FILES = [...CHOICE_FILES, ...LOCK_FILES];
const TIMEOUT_MS = 60_000;

/**
 * Prints for each file that exists a line with its name, its size and the bytes that follow, and those bytes.
 * A file that is none, or too large, has no bytes.
 *
 * $1: the largest size. $2 and following: names, after `SIZE:` if that many bytes are enough.
 */
const SCRIPT = `set -eu
most=$1
shift
for word; do
  name=\${word#*:}
  [ -e "$name" ] || continue
  if [ ! -f "$name" ] || [ ! -r "$name" ]; then
    printf '%s none 0\\n' "$name"
    continue
  fi
  size=$(stat -Lc %s -- "$name")
  bytes=$most
  if [ "$word" != "$name" ]; then
    bytes=\${word%%:*}
  elif [ "$size" -gt "$most" ]; then
    printf '%s large 0\\n' "$name"
    continue
  fi
  text=$(head -c "$bytes" -- "$name" | base64 -w 0)
  printf '%s text %s\\n%s' "$name" "\${#text}" "$text"
done
printf 'end'
`;

/**
 * Reads the files at the root of a repository that may ask for runtimes. A command in the sandbox reads them,
 * so that links and devices of the repository lead nowhere else.
 *
 * @returns null when the command did not end by itself, as when the sandbox was closed.
 */
export async function readChoiceFiles(
  sandbox: Pick<Sandbox, "run">,
  directory: string,
  signal: AbortSignal,
): Promise<RepositoryFile[] | null> {
  const names = [...CHOICE_FILES, ...LOCK_FILES.map((file) => `${LOCK_BYTES}:${file}`)];
  const words = [String(MAX_BYTES), ...names].map((word) => `'${word}'`).join(" ");
  const { exitCode, ended, output } = await sandbox.run({
    script: `set -- ${words}\n${SCRIPT}`,
    cwd: directory,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: ALL_FILES.length * (MAX_BYTES * 1.4 + 1_000),
    signal,
  });
  if (ended !== "exit") return null;
  return exitCode === 0 ? filesIn(Buffer.from(output)) : [];
}

/** Reads the answer of the script, which is hostile: what has another form ends it. */
function filesIn(answer: Buffer): RepositoryFile[] {
  const files: RepositoryFile[] = [];
  let from = 0;
  for (;;) {
    const to = answer.indexOf("\n", from);
    const head =
      to < 0 ? null : /^(\S+) (none|large|text) (\d{1,8})$/.exec(answer.toString("utf8", from, to));
    const [, file = "", kind, length] = head ?? [];
    if (!ALL_FILES.includes(file)) return files;
    from = to + 1 + Number(length);
    const text = () => Buffer.from(answer.toString("latin1", to + 1, from), "base64").toString("utf8");
    if (kind === "text") files.push({ file, content: { text: text() } });
    else
      files.push({
        file,
        content: { fault: kind === "large" ? "it is larger than 256 KiB" : "it is no file" },
      });
  }
}
