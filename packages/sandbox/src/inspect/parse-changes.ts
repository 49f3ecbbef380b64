import { isPathBelow } from "./entry-name.ts";
import { fieldsOf } from "./list-directory.ts";

export interface ChangedFile {
  /** Path in the bytes of the filesystem, relative to the clone. */
  path: Buffer;
  /** Previous path of a renamed file; otherwise null. */
  oldPath: Buffer | null;
  status: "added" | "modified" | "deleted" | "renamed" | "type_changed";
  type: "file" | "symlink" | "submodule";
  /** Number of lines; null for a binary file, a submodule, or a file that changed during the comparison. */
  additions: number | null;
  deletions: number | null;
  binary: boolean;
}

export interface ClonedCommit {
  sha: string;
  author: string;
  email: string;
  /** Time in ISO 8601 as git writes it. */
  time: string;
  subject: string;
  /** Whether a remote branch contains it, as far as the clone knows. */
  pushed: boolean;
}

export interface RepositoryChanges {
  /** Current commit; null when there is none. */
  head: string | null;
  /** Current branch; null when HEAD is detached. */
  branch: string | null;
  /** Whether the commit that was cloned still exists in the clone. Without it nothing is compared. */
  hasBase: boolean;
  baseIsAncestor: boolean;
  commitCount: number;
  fileCount: number;
  /** The last commit that the clone itself pushed to each branch of its remote. */
  pushes: { branch: string; commit: string }[];
  /** Commits, newest first. */
  commits: ClonedCommit[];
  files: ChangedFile[];
}

const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const COUNT = /^\d{1,9}$/;
const HEADER_FIELDS = 8;
const COMMIT_FIELDS = 5;

/**
 * Parses the output of `repository-changes.sh`. Returns null when the output was tampered with, or when a
 * command was killed.
 *
 * @param max Maximum number of files to return.
 */
export function parseChanges(output: Buffer, max: number): RepositoryChanges | null {
  const reader = new Reader(output);
  const header = Array.from({ length: HEADER_FIELDS }, () => reader.field() ?? "");
  const [head = "", branch = "", found, ancestor, commitCount = "", fileCount = ""] = header;
  const [unpushed = "", pushes = ""] = header.slice(6);
  const [log, raw, numbers] = [reader.section(), reader.section(), reader.section()];
  if (log === null || raw === null || numbers === null) return null;
  const commits = parseCommits(log, new Set(unpushed.split("\n")));
  if (commits === null || !COUNT.test(commitCount) || !COUNT.test(fileCount)) return null;
  const files = parseRaw(raw).slice(0, max);
  if ((head !== "" && !SHA.test(head)) || !files.every(liesBelow)) return null;
  return {
    head: head || null,
    branch: branch || null,
    hasBase: found === "found",
    baseIsAncestor: ancestor === "yes",
    commitCount: Number(commitCount),
    fileCount: Number(fileCount),
    pushes: parsePushes(pushes),
    commits,
    files: withNumbers(files, numbers),
  };
}

/** Reads fields that end in a NUL, and sections that are preceded by their length. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  field(): string | null {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) return null;
    const field = this.#bytes.toString("utf8", this.#at, end);
    this.#at = end + 1;
    return field;
  }

  section(): Buffer | null {
    const length = Number(/^ *(\d{1,9})$/.exec(this.field() ?? "")?.[1] ?? Number.NaN);
    if (!(this.#at + length <= this.#bytes.length)) return null;
    const section = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return section;
  }
}

function parseCommits(log: Buffer, unpushed: ReadonlySet<string>): ClonedCommit[] | null {
  const fields = fieldsOf(log).map(String);
  if (fields.pop() !== "" || fields.length % COMMIT_FIELDS !== 0) return null;
  const commits: ClonedCommit[] = [];
  for (let at = 0; at < fields.length; at += COMMIT_FIELDS) {
    const [sha = "", author = "", email = "", time = "", subject = ""] = fields.slice(at, at + COMMIT_FIELDS);
    if (!SHA.test(sha)) return null;
    commits.push({ sha, author, email, time, subject, pushed: !unpushed.has(sha) });
  }
  return commits;
}

function parsePushes(lines: string): RepositoryChanges["pushes"] {
  return lines.split("\n").flatMap((line) => {
    const [, commit, branch] = /^([0-9a-f]+) (.+)$/.exec(line) ?? [];
    return commit === undefined || branch === undefined || !SHA.test(commit) ? [] : [{ branch, commit }];
  });
}

type Listed = Omit<ChangedFile, "additions" | "deletions" | "binary">;

const META = /^:([0-7]{6}) ([0-7]{6}) [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/;
const STATUS: Readonly<Record<string, ChangedFile["status"]>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  T: "type_changed",
};

/** Returns the entries of `--raw -z`, without one that is cut off at the end. */
function parseRaw(raw: Buffer): Listed[] {
  const fields = fieldsOf(raw);
  fields.pop();
  const files: Listed[] = [];
  while (fields.length > 0) {
    const [, before = "", after = "", letter = ""] =
      META.exec(fields.shift()?.toString("latin1") ?? "") ?? [];
    const status = STATUS[letter];
    const first = fields.shift();
    const second = status === "renamed" ? fields.shift() : first;
    if (status === undefined || first === undefined || second === undefined) break;
    const type = typeOf(status === "deleted" ? before : after);
    files.push({ path: second, oldPath: status === "renamed" ? first : null, status, type });
  }
  return files;
}

function liesBelow({ path, oldPath }: Listed): boolean {
  return isPathBelow(path) && (oldPath === null || isPathBelow(oldPath));
}

function typeOf(mode: string): ChangedFile["type"] {
  if (mode === "160000") return "submodule";
  return mode === "120000" ? "symlink" : "file";
}

function withNumbers(files: readonly Listed[], numbers: Buffer): ChangedFile[] {
  const counts = parseNumbers(numbers);
  return files.map((file) => {
    const [additions, deletions] = counts.get(file.path.toString("latin1")) ?? ["", ""];
    const known = file.type !== "submodule" && /^\d+$/.test(additions);
    return {
      ...file,
      additions: known ? Number(additions) : null,
      deletions: known ? Number(deletions) : null,
      binary: additions === "-",
    };
  });
}

/**
 * Returns additions and deletions by path, decoded as `latin1`. For a renamed file git prints an empty path,
 * then the old and the new one.
 */
function parseNumbers(numbers: Buffer): Map<string, readonly [string, string]> {
  const fields = fieldsOf(numbers).map((field) => field.toString("latin1"));
  const counts = new Map<string, readonly [string, string]>();
  while (fields.length > 0) {
    const [, additions, deletions, path] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(fields.shift() ?? "") ?? [];
    if (additions === undefined || deletions === undefined) break;
    if (path === "") fields.shift();
    counts.set((path || fields.shift()) ?? "", [additions, deletions]);
  }
  return counts;
}
