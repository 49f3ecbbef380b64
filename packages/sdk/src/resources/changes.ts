import type { CallOptions } from "../transport/options.ts";
import type { Transport } from "../transport/transport.ts";
import type { Methods } from "./methods.ts";
import { faultOf, pathOf, sectionsOf } from "./patch-sections.ts";
import { resource } from "./resource.ts";

export type Changes = Methods["changes"] & {
  /**
   * Returns the changes in a repository as a patch for `git apply`, in a clone that has `base_commit` checked
   * out. Files that a patch of text cannot hold are left out and named. Asks file by file if the whole diff
   * is cut. The agent should not be working: the files are read one after another.
   */
  patch(session_id: string, resource_id: string, options?: CallOptions): Promise<RepositoryPatch>;
};

export interface RepositoryPatch {
  /** Empty when there is nothing to apply. */
  patch: string;
  /** Changed files that are not in the patch, with a reason for people. */
  left_out: { path: string; reason: string }[];
  /** The number of further changed files, which are neither listed by the service nor in the patch. */
  more_left_out: number;
}

/** Returns the methods of the changes in a session's repositories. */
export function changes(transport: Transport): Changes {
  const methods = resource(transport, "changes");
  return { ...methods, patch: (...target) => patchOf(methods, ...target) };
}

async function patchOf(
  methods: Methods["changes"],
  sessionId: string,
  resourceId: string,
  options?: CallOptions,
): Promise<RepositoryPatch> {
  const whole = await methods.diff(sessionId, resourceId, {}, options);
  const parts = new Map(
    [...sectionsByPath(whole.diff)].map(([path, diff]) => [path, { diff, isCut: false }]),
  );
  let more_left_out = 0;
  if (whole.truncated) {
    // The diff may be cut within its last file, or between two parts that only together are its change.
    const [last = ""] = [...parts.keys()].slice(-1);
    parts.delete(last);
    const { repositories } = await methods.get(sessionId, options);
    const repository = repositories.find(({ resource_id }) => resource_id === resourceId);
    const { files = [], file_count = 0 } = repository ?? {};
    more_left_out = Math.max(0, file_count - files.length);
    const listed = new Set(files.map(({ path }) => path));
    for (const path of parts.keys()) if (!listed.has(path)) parts.delete(path);
    for (const path of listed) {
      if (parts.has(path)) continue;
      const { diff, truncated } = await methods.diff(sessionId, resourceId, { path }, options);
      parts.set(path, { diff, isCut: truncated });
    }
  }
  const judged = [...parts].map(([path, { diff, isCut }]) => ({
    path,
    diff,
    reason: isCut ? "Its diff is larger than 1 MiB." : faultOf(diff),
  }));
  return {
    patch: judged.flatMap(({ diff, reason }) => (reason === null ? [diff] : [])).join(""),
    left_out: judged.flatMap(({ path, reason }) => (reason === null ? [] : [{ path, reason }])),
    more_left_out,
  };
}

/** Returns the parts of a diff by the path of their file. A file whose type changed has two. */
function sectionsByPath(diff: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const section of sectionsOf(diff)) {
    const path = pathOf(section);
    found.set(path, (found.get(path) ?? "") + section);
  }
  return found;
}
