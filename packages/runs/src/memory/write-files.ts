import type { Sandbox } from "@berth/sandbox";
import { printable } from "./detect-changes.ts";

const WRITING_MS = 120_000;
/** Bytes that one command writes. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** A file of a mount to write, or to delete if `content` is null. */
export interface WantedFile {
  path: string;
  content: string | null;
}

/**
 * Reads `<size> <path>` with that many bytes, or `- <path>` for a deletion. Anything that blocks a directory
 * is deleted. Links are replaced and not followed. A file appears with all its bytes. Directories that a
 * deletion leaves empty are deleted.
 */
const SCRIPT = `umask 022
wrong=0
way() {
  rest=\${1#/} at=$ROOT
  while :; do
    case $rest in */*) ;; *) return 0 ;; esac
    at=$at/\${rest%%/*} rest=\${rest#*/}
    if [ -L "$at" ] || [ ! -d "$at" ]; then
      [ "$2" = make ] || return 1
      rm -f -- "$at" && mkdir -- "$at" || return 1
    fi
  done
}
put() {
  way "$1" make || return 1
  target=$ROOT$1
  if [ -d "$target" ] && [ ! -L "$target" ]; then rm -rf -- "$target" || return 1; fi
  chmod 644 "$TEMPORARY" && mv -fT -- "$TEMPORARY" "$target"
}
remove() {
  way "$1" look || return 0
  [ -d "$ROOT$1" ] && [ ! -L "$ROOT$1" ] && return 0
  rm -f -- "$ROOT$1" || return 1
  at=\${1%/*}
  while [ -n "$at" ] && rmdir -- "$ROOT$at" 2>/dev/null; do at=\${at%/*}; done
  return 0
}
[ "$FRESH" = yes ] && { find "$ROOT" -xdev -mindepth 1 -delete || wrong=1; }
while IFS= read -r line; do
  size=\${line%% *} path=\${line#* }
  if [ "$size" = - ]; then
    remove "$path" || wrong=1
  else
    rm -f -- "$TEMPORARY"
    if head -c "$size" >"$TEMPORARY"; then put "$path" || wrong=1; else wrong=1; fi
  fi
done
rm -f -- "$TEMPORARY"
exit $wrong`;

/**
 * Writes and deletes files of a mount with commands in the sandbox.
 *
 * @param fresh whether everything in the mount is deleted first.
 * @returns why it failed, for people, or null.
 */
export async function writeFiles(
  sandbox: Sandbox,
  root: string,
  files: readonly WantedFile[],
  { fresh = false, signal }: { fresh?: boolean; signal?: AbortSignal } = {},
): Promise<string | null> {
  const batches = batched(files);
  for (const [index, batch] of (batches.length === 0 && fresh ? [[]] : batches).entries()) {
    const { ended, exitCode, output } = await sandbox.run({
      script: SCRIPT,
      cwd: "/",
      environment: {
        ROOT: root,
        TEMPORARY: `${root}/.memory-${process.pid}.writing`,
        FRESH: fresh && index === 0 ? "yes" : "no",
        LC_ALL: "C",
      },
      stdin: Buffer.from(batch.map(frame).join("")),
      timeoutMs: WRITING_MS,
      maxOutputBytes: 2_000,
      ...(signal === undefined ? {} : { signal }),
    });
    if (ended === "closed") return "the sandbox ended";
    if (ended !== "exit") return "it took too long";
    if (exitCode !== 0) return outputLine(output) || `exit code ${exitCode}`;
  }
  return null;
}

/** Returns the output of a failed command as one line for people. The output is hostile. */
function outputLine(output: Uint8Array): string {
  return printable(Buffer.from(output).toString("utf8").trim().replaceAll("\n", "; "));
}

function frame({ path, content }: WantedFile): string {
  return content === null ? `- ${path}\n` : `${Buffer.byteLength(content)} ${path}\n${content}`;
}

function batched(files: readonly WantedFile[]): WantedFile[][] {
  const batches: WantedFile[][] = [];
  let free = 0;
  for (const file of files) {
    const size = frame(file).length;
    if (size > free || batches.length === 0) {
      batches.push([]);
      free = BATCH_BYTES;
    }
    batches.at(-1)?.push(file);
    free -= size;
  }
  return batches;
}
