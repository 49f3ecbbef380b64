import { MAX_COMPARED_FILE_BYTES, MAX_DIFF_BYTES } from "@berth/contract";
import { listDirectory, readPart, repositoryDiff } from "@berth/sandbox";
import {
  type Found,
  type FoundEntry,
  MAX_PART_BYTES,
  MAX_READ_MS,
  type ReadAnswer,
  type ReadFailure,
  type ReadKind,
  type ReadRequest,
} from "@berth/store/session-log";
import { isRepository, readResources } from "../inputs/resource-store.ts";
import { changesOf, type ReadDeps, type ReadTarget } from "./repository-changes.ts";
import { timestampOf } from "./timestamp.ts";

export interface ServedRead {
  answer: ReadAnswer;
  content: Uint8Array | null;
}

const MAX_ENTRIES = 1_000;

/**
 * Reads from the disk of a session, in its sandbox. Contents of files are returned as they are. Output of git
 * is masked as the log is, since it is shown and not saved.
 */
export async function serveRead(
  deps: ReadDeps,
  target: ReadTarget,
  request: Exclude<ReadRequest, { kind: "link" }>,
): Promise<ServedRead> {
  switch (request.kind) {
    case "list":
      return await list(target, request);
    case "part":
      return await part(target, request);
    case "changes":
      return found<"changes">({ repositories: await changesOf(deps, target) });
    case "diff":
      return await diff(deps, target, request);
  }
}

type Asked<Kind extends ReadKind> = Extract<ReadRequest, { kind: Kind }>;

async function list({ sandbox, signal }: ReadTarget, { path, after, max }: Asked<"list">) {
  const listed = await listDirectory(sandbox, path, {
    after: after === null ? null : Buffer.from(after, "base64"),
    max: Math.min(max, MAX_ENTRIES),
    timeoutMs: MAX_READ_MS,
    signal,
  });
  if (!listed.ok) return failed(listed.reason);
  const entries = listed.entries.map(
    ({ name, type, size, mode, modified, target }): FoundEntry => ({
      type,
      name: name.toString("base64"),
      size_bytes: type === "file" ? size : null,
      mode,
      modified_at: timestampOf(modified),
      target: type === "symlink" ? target.toString("utf8") : null,
    }),
  );
  return found<"list">({ entries });
}

async function part({ sandbox, signal }: ReadTarget, { path, from, count }: Asked<"part">) {
  const most = Math.min(count, MAX_PART_BYTES);
  const read = await readPart(sandbox, path, { from, count: most, timeoutMs: MAX_READ_MS, signal });
  if (!read.ok) return failed(read.reason);
  return found<"part">({ size: read.size, stamp: read.stamp }, read.bytes);
}

async function diff(
  deps: ReadDeps,
  { sessionId, sandbox, signal }: ReadTarget,
  { resourceId, path }: Asked<"diff">,
) {
  const resources = await readResources(deps.db.read, sessionId);
  const repository = resources.filter(isRepository).find(({ id }) => id === resourceId);
  if (repository?.ready !== true) return failed("not_in_place");
  const base = repository.baseCommit;
  if (base === null) return failed("incomparable");
  const clone = { path: repository.mountPath, base };
  const bounds = { max: MAX_DIFF_BYTES, maxFile: MAX_COMPARED_FILE_BYTES, timeoutMs: MAX_READ_MS };
  const read = await repositoryDiff(sandbox, clone, { file: path, ...bounds, signal });
  if (!read.ok) return failed(isOfSandbox(read.reason) ? read.reason : "incomparable");
  const lines = read.cut ? wholeLines(read.diff) : read.diff;
  return found<"diff">({
    diff: deps.mask(lines.toString("utf8")),
    truncated: read.cut,
    large_files: read.large.map((path) => deps.mask(path.toString("utf8"))),
  });
}

/** Returns the bytes without an incomplete last line, which may end in a part of a secret. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
}

/** Returns the answer to a read. */
export function found<Kind extends ReadKind>(
  found: Found[Kind],
  content: Uint8Array | null = null,
): ServedRead {
  return { answer: { ok: true, found }, content };
}

/** Returns the answer to a read that failed. */
export function failed(reason: ReadFailure): ServedRead {
  return { answer: { ok: false, reason }, content: null };
}

/** Returns whether a read failed because of the sandbox, and not because of the clone. */
export function isOfSandbox(reason: string): reason is "slow" | "full" | "gone" {
  return reason === "slow" || reason === "full" || reason === "gone";
}
