import type { Sandbox } from "../sandbox.ts";
import { gitFunction } from "./git-function.ts";
import { settleFunction, type Wanted, wantedVariables } from "./settle-clone.ts";

/** Where a template is made in the sandbox that makes it, and where that sandbox finds the mirror, read-only. */
export const TEMPLATE_INSIDE = "/data/tree";
export const MIRROR_MOUNTED = "/mnt/mirror.git";

export interface TemplateOptions {
  /** What the checked out files may take, and what the objects may. */
  mostBytes: number;
  /** Files and directories. */
  mostFiles: number;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface BuiltTemplate {
  commit: string;
  /** What it takes on the disk, with the space that files leave in blocks, and something for each, as those are limited, too. */
  bytes: number;
}

/**
 * Makes on this sandbox's disk what a fresh clone of the url would be, out of the mirror, with all its objects its own. Needs
 * neither a network nor a credential. Null when it could not be, or is too large, or has not what is wanted.
 */
export async function buildTemplate(
  sandbox: Pick<Sandbox, "run">,
  url: string,
  wanted: Wanted,
  { mostBytes, mostFiles, timeoutMs, signal }: TemplateOptions,
): Promise<BuiltTemplate | null> {
  const result = await sandbox.run({
    script: templateScript,
    cwd: "/",
    environment: {
      ...wantedVariables(url, wanted),
      BERTH_TEMPLATE_BYTES: String(mostBytes),
      BERTH_TEMPLATE_FILES: String(mostFiles),
    },
    timeoutMs,
    signal,
  });
  if (result.exitCode !== 0) return null;
  const output = new TextDecoder().decode(result.output);
  const [, commit, kibibytes] = /^built ([0-9a-f]{40,64}) (\d{1,12})\n$/.exec(output) ?? [];
  return commit === undefined ? null : { commit, bytes: Number(kibibytes) * 1024 };
}

const FILE_KIBIBYTES = 4;

/**
 * The clone goes through git's own protocol, so that it has what the mirror's refs reach and nothing else that the mirror
 * keeps. The index is written once more a second after the files: files of its own second git reads again each time.
 */
const templateScript = `set -u
exec 3>&1 >/dev/null 2>&1
protocol=file
${gitFunction}
${settleFunction}
work=${TEMPLATE_INSIDE}
[ "$(du -sk ${MIRROR_MOUNTED} | cut -f1)" -le "$((BERTH_TEMPLATE_BYTES / 1024))" ] || exit 1
git clone -q --no-local --no-checkout --template= -- file://${MIRROR_MOUNTED} "$work" || exit 1
target=\${BERTH_CLONE_COMMIT:-refs/remotes/origin/$BERTH_CLONE_BRANCH}
here rev-parse --verify --quiet "$target^{commit}" || exit 1
here ls-tree -r -t -l --full-tree "$target" | awk -v bytes="$BERTH_TEMPLATE_BYTES" -v files="$BERTH_TEMPLATE_FILES" '
  { sum += $2 == "tree" ? 4096 : $4; if (sum > bytes || NR > files) exit 1 }' || exit 1
settle || exit 1
sleep 1
here update-index -q --refresh --force-write-index || exit 1
[ -z "$(here status --porcelain)" ] || exit 1
sync -f "$work" || exit 1
files=$(du -s --inodes "$work" | cut -f1) kibibytes=$(du -sk "$work" | cut -f1)
printf 'built %s %s\\n' "$(here rev-parse HEAD)" "$((kibibytes + files * ${FILE_KIBIBYTES}))" >&3
`;
