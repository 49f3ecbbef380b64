import type { Sandbox } from "../interface/sandbox.ts";
import { shellScript } from "../scripts/read-script.ts";
import { isObjectId, isRefName, type RemoteRefs } from "./refs/remote-refs.ts";

/** Where a mirror lies in the sandbox that fetches it. */
export const MIRROR_PATH = "/data/mirror.git";

export interface MirrorOptions {
  /** The variables that give git the credential; see `repositoryEnvironment`. */
  environment: Readonly<Record<string, string>>;
  /** What one pack may take. */
  maxBytes: number;
  timeoutMs: number;
  signal: AbortSignal;
}

/** What was fetched: the refs that the mirror has now, all of them from this fetch, and the bytes of all its packs. */
export interface MirrorResult {
  refs: RemoteRefs;
  bytes: number;
}

/**
 * Brings the bare mirror on this sandbox's disk to what the repository's host shows, or makes it. Its branches and tags are
 * the host's, and no others. Null when it could not be: what is on the disk is of no use then.
 *
 * @param head full name of the branch that HEAD is to point at.
 */
export async function mirrorRepository(
  sandbox: Pick<Sandbox, "run">,
  { url, head }: { url: string; head: string },
  { environment, maxBytes, timeoutMs, signal }: MirrorOptions,
): Promise<MirrorResult | null> {
  const result = await sandbox.run({
    script: MIRROR,
    cwd: "/",
    environment: {
      ...environment,
      BERTH_MIRROR_DIRECTORY: MIRROR_PATH,
      BERTH_MIRROR_URL: url,
      BERTH_MIRROR_HEAD: head,
      // In the blocks of the shell's ulimit.
      BERTH_MIRROR_BLOCKS: String(Math.ceil(maxBytes / 512)),
    },
    maxOutputBytes: MAX_LISTED_BYTES,
    timeoutMs,
    signal,
  });
  if (result.exitCode !== 0 || result.omittedBytes > 0) return null;
  return readMirrored(new TextDecoder().decode(result.output), head);
}

const MAX_LISTED_BYTES = 16 * 1024 * 1024;

const MIRROR = shellScript("workspace/git.sh", "workspace/mirror.sh");

function readMirrored(text: string, head: string): MirrorResult | null {
  const lines = text.split("\n");
  const size = /^size (\d{1,12})$/.exec(lines.shift() ?? "")?.[1];
  if (lines.pop() !== "" || lines.pop() !== "done" || size === undefined) return null;
  const objects = new Map<string, string>();
  for (const line of lines) {
    const [object = "", name = ""] = line.split(" ");
    if (!isObjectId(object) || !isRefName(name)) return null;
    objects.set(name, object);
  }
  if (!objects.has(head)) return null;
  return { refs: { head, objects }, bytes: Number(size) * 1024 };
}
