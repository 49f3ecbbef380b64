import type { RepositoryChangesOf, WorkspaceEntry } from "@berth/contract";

/** What the API asks of the runner that holds a session's disk. */
export type ReadRequest =
  /** `after`: base64 of the name that the entries follow; null for the first. */
  | { kind: "list"; path: string; after: string | null; max: number }
  | { kind: "part"; path: string; from: number; count: number }
  | { kind: "changes" }
  /** `resourceId`: a uuid. `path`: null for all that changed. */
  | { kind: "diff"; resourceId: string; path: string | null };

export type ReadKind = ReadRequest["kind"];

/** What the runner found, by what was asked. */
export interface Found {
  list: { entries: FoundEntry[] };
  /** The bytes are beside the answer. `stamp` changes whenever the file does. */
  part: { size: number; stamp: string };
  changes: { repositories: RepositoryChangesOf[] };
  /** `large_files` is absent where a runner of the release before answers. */
  diff: { diff: string; truncated: boolean; large_files?: string[] };
}

/** `name`: base64 of its bytes. */
export interface FoundEntry extends Omit<WorkspaceEntry, "path" | "name"> {
  name: string;
}

/** Why nothing was found. `no_disk`: the session has none on the machine that looked. `not_opened`: no sandbox could be opened. */
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
  | "incomparable";

export type ReadAnswer<Kind extends ReadKind = ReadKind> =
  | { ok: true; found: Found[Kind] }
  | { ok: false; reason: ReadFailure };

/** Bytes that one part may have. */
export const MAX_PART_BYTES = 4 * 1024 * 1024;
/** How long a look inside the sandbox may take, once that is open. */
export const MAX_READ_MS = 20_000;
