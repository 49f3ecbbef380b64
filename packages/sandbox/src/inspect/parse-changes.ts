import { isPathBelow } from "./entry-name.ts";
import { fieldsOf } from "./list-directory.ts";

export interface ChangedFile {
  /** In the bytes of the filesystem, relative to the clone. */
  path: Buffer;
  /** Of a renamed file; else null. */
  oldPath: Buffer | null;
  status: "added" | "modified" | "deleted" | "renamed" | "type_changed";
  type: "file" | "symlink" | "submodule";
  /** Lines; null for a binary file, a submodule, and for what changed while it was looked at. */
  additions: number | null;
  deletions: number | null;
  binary: boolean;
}

export interface ClonedCommit {
  sha: string;
  author: string;
  email: string;
  /** As git writes it in ISO 8601. */
  time: string;
  subject: string;
  /** A remote branch has it, as far as the clone knows. */
  pushed: boolean;
}

export interface RepositoryChanges {
  /** Null without a commit. */
  head: string | null;
  /** Null when HEAD is detached. */
  branch: string | null;
  /** Whether the clone has the commit from which it was cloned. Without it nothing is compared. */
  hasBase: boolean;
  baseIsAncestor: boolean;
  commitCount: number;
  fileCount: number;
  /** Newest first. */
  commits: ClonedCommit[];
  files: ChangedFile[];
}

const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const COUNT = /^\d{1,9}$/;
const HEADER_FIELDS = 7;
const COMMIT_FIELDS = 5;

/**
 * Parses what `repository-changes.sh` prints. Returns null for output that was tampered with, or of commands that were killed.
 *
 * @param max files to return.
 */
export function parseChanges(output: Buffer, max: number): RepositoryChanges | null {
  const reader = new Reader(output);
  const header = Array.from({ length: HEADER_FIELDS }, () => reader.field() ?? "");
  const [head = "", branch = "", found, ancestor, commitCount = "", fileCount = "", unpushed = ""] = header;
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
    commits,
    files: withNumbers(files, numbers),
  };
}

/** Reads fields that end in a NUL, and sections that follow their length. */
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

type Listed = Omit<ChangedFile, "additions" | "deletions" | "binary">;

const META = /^:([0-7]{6}) ([0-7]{6}) [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/;
const STATUS: Readonly<Record<string, ChangedFile["status"]>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  T: "type_changed",
};

/** The entries of `--raw -z`; one that is cut at the end is left out. */
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

/** Additions and deletions by the path, decoded as `latin1`. Of a renamed file, the path is empty and two follow. */
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
