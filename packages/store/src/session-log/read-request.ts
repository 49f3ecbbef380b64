import type { RepositoryChangesOf, WorkspaceEntry } from "@berth/contract";
import type { LinkAddress } from "./preview-link.ts";

/** A request of the API to the runner that holds a session's disk. */
export type ReadRequest =
  /** `after` is the base64 of the name that the entries follow; null for the first. */
  | { kind: "list"; path: string; after: string | null; max: number }
  | { kind: "part"; path: string; from: number; count: number }
  | { kind: "changes" }
  /** `resourceId` is a uuid. `path` is null for everything that changed. */
  | { kind: "diff"; resourceId: string; path: string | null }
  /** Not a read of the disk: asks for a link, over which ports of the open sandbox are reached. */
  | { kind: "link"; linkId: string; addresses: LinkAddress[] };

export type ReadKind = ReadRequest["kind"];

/** Results of the runner, by the kind of request. */
export interface Found {
  list: { entries: FoundEntry[] };
  /** The bytes are beside the answer. `stamp` changes whenever the file does. */
  part: { size: number; stamp: string };
  changes: { repositories: RepositoryChangesOf[] };
  diff: { diff: string; truncated: boolean; large_files: string[] };
  link: Record<never, never>;
}

/** An entry of a directory. `name` is the base64 of its bytes. */
export interface FoundEntry extends Omit<WorkspaceEntry, "path" | "name"> {
  name: string;
}

/**
 * The reason why a read failed. `no_disk`: the session has no disk on the machine that looked. `not_opened`:
 * no sandbox could be opened. `unreachable`: the address of a link cannot be reached.
 */
export type ReadFailure =
  | "not_found"
  | "is_directory"
  | "not_a_directory"
  | "not_a_file"
  | "permission"
  | "link"
  | "changed"
  | "slow"
  | "full"
  | "gone"
  | "failed"
  | "no_disk"
  | "not_opened"
  | "not_in_place"
  | "incomparable"
  | "unreachable";

export type ReadAnswer<Kind extends ReadKind = ReadKind> =
  | { ok: true; found: Found[Kind] }
  | { ok: false; reason: ReadFailure };

/** Maximum number of bytes in one part. */
export const MAX_PART_BYTES = 4 * 1024 * 1024;
/** Maximum milliseconds of a read inside the sandbox, once that is open. */
export const MAX_READ_MS = 20_000;
