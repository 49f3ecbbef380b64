import type { Sandbox } from "../interface/sandbox.ts";
import { shellScript } from "../scripts/read-script.ts";
import { fetchFault } from "./clone-failure.ts";
import { isObjectId, isRefName, type RemoteRefs } from "./refs/remote-refs.ts";

/** Path of the mirror in the sandbox that updates it. */
export const MIRROR_PATH = "/data/mirror.git";

export interface MirrorOptions {
  /** Variables with git's credential; see `repositoryEnvironment`. */
  environment: Readonly<Record<string, string>>;
  /** Maximum bytes of one pack. */
  maxBytes: number;
  timeoutMs: number;
  signal: AbortSignal;
}

/** The refs of the mirror after the fetch, and the mirror's size. */
export interface MirrorResult {
  refs: RemoteRefs;
  bytes: number;
}

export interface MirrorFailure {
  /**
   * The reason why there can be no mirror, as a clause about the repository: "its …". It quotes nothing that
   * the host sent.
   */
  reason: string;
}

/**
 * Creates or updates the bare mirror on this sandbox's disk, so that its branches and tags are exactly those
 * of the repository's host. On failure, the mirror is unusable and the result has the reason.
 *
 * @param repository `head` is the full name of the branch that HEAD will point at. `checkout` is the branch
 * or commit whose Git LFS files are also fetched, as far as possible.
 */
export async function mirrorRepository(
  sandbox: Pick<Sandbox, "run">,
  { url, head, checkout = head }: { url: string; head: string; checkout?: string },
  { environment, maxBytes, timeoutMs, signal }: MirrorOptions,
): Promise<MirrorResult | MirrorFailure> {
  const result = await sandbox.run({
    script: MIRROR,
    cwd: "/",
    environment: {
      ...environment,
      BERTH_MIRROR_DIRECTORY: MIRROR_PATH,
      BERTH_MIRROR_URL: url,
      BERTH_MIRROR_HEAD: head,
      BERTH_MIRROR_CHECKOUT: checkout,
      BERTH_MIRROR_BYTES: String(maxBytes),
      // The shell's ulimit counts in blocks.
      BERTH_MIRROR_BLOCKS: String(Math.ceil(maxBytes / 512)),
    },
    maxOutputBytes: MAX_LISTED_BYTES,
    timeoutMs,
    signal,
  });
  const output = new TextDecoder().decode(result.output);
  if (result.ended === "timeout")
    return { reason: `its mirror took longer than ${timeoutMs / 60_000} minutes` };
  if (result.exitCode !== 0) return mirrorFailure(url, output);
  if (result.omittedBytes > 0) return { reason: "it has too many branches and tags" };
  return readResult(output, head) ?? { reason: "its default branch was removed meanwhile" };
}

const MAX_LISTED_BYTES = 16 * 1024 * 1024;

const MIRROR = shellScript("workspace/git.sh", "workspace/lfs.sh", "workspace/mirror.sh");

/** Parses the output of the script whose fetch failed. */
function mirrorFailure(url: string, output: string): MirrorFailure {
  const [, said] = output.split(/^failed\n/m, 2);
  if (said === undefined) return { reason: "its mirror could not be made" };
  // The text after the fault's name is git's own, and does not contain a name from the repository.
  const [, object, fault, text] = /^error: object ([0-9a-f]{40,64}): (\w+): ([^\n]*)$/m.exec(said) ?? [];
  if (object !== undefined)
    return { reason: `its object ${object} does not pass git's check: ${fault}, ${text}` };
  if (/File too large/.test(said)) return { reason: "it exceeds the size limit" };
  return { reason: fetchFault(url, said) };
}

function readResult(text: string, head: string): MirrorResult | null {
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
