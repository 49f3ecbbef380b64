import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface RepositoryOptions {
  org: string;
  name: string;
  /** Whether reading requires a token, too. */
  private: boolean;
  /**
   * Path of a local repository. Its current commit, with the history, becomes `main`; other branches and tags
   * are left out.
   */
  from?: string;
  /** Path of a local repository from which all branches and tags are copied. */
  copyOf?: string;
  /** The object format of a repository without `from` and `copyOf`; sha1 by default. */
  objectFormat?: "sha1" | "sha256";
  /** Files (path → content) of the first commit on `main`, without `from` and `copyOf`. */
  files?: Readonly<Record<string, string>>;
}

export interface Commit {
  sha: string;
  author: string;
  subject: string;
}

/** Bare repositories at `<root>/<org>/<name>.git`. */
export class Repositories {
  readonly root: string;
  readonly #private = new Map<string, boolean>();
  readonly #ids = new Map<string, number>();
  readonly #moved = new Map<string, string>();

  constructor(root: string) {
    this.root = root;
  }

  async create(options: RepositoryOptions): Promise<void> {
    const path = this.#path(options.org, options.name);
    await mkdir(join(this.root, options.org), { recursive: true });
    if (options.from !== undefined) await copyCommit(options.from, path);
    else if (options.copyOf !== undefined) await copyAll(options.copyOf, path);
    else {
      const format = `--object-format=${options.objectFormat ?? "sha1"}`;
      await run("git", ["init", "--quiet", "--bare", "--initial-branch=main", format, path]);
    }
    if (options.files !== undefined) await firstCommit(path, options.files);
    const name = `${options.org}/${options.name}`;
    this.#private.set(name, options.private);
    this.#ids.set(name, this.#ids.size + 1);
  }

  /** Returns null if there is no such repository. */
  find(repository: string): { private: boolean } | null {
    const isPrivate = this.#private.get(repository);
    return isPrivate === undefined ? null : { private: isPrivate };
  }

  /** Returns all repositories by full name, in the order in which they were made. */
  all(): { id: number; name: string; private: boolean }[] {
    return [...this.#private].map(([name, isPrivate]) => ({
      ...{ id: this.#ids.get(name) ?? 0, name, private: isPrivate },
    }));
  }

  /** Gives a repository another full name. Its API redirects from the old one; git does not find it there. */
  async move(from: string, to: string): Promise<void> {
    const [org = ""] = to.split("/");
    await mkdir(join(this.root, org), { recursive: true });
    await rename(join(this.root, `${from}.git`), join(this.root, `${to}.git`));
    this.#private.set(to, this.#private.get(from) ?? true);
    this.#ids.set(to, this.#ids.get(from) ?? 0);
    this.#private.delete(from);
    this.#moved.set(from, to);
  }

  /** Returns the new full name of a repository that was moved; null for any other. */
  movedTo(repository: string): string | null {
    return this.#moved.get(repository) ?? null;
  }

  /** Returns the branches of a repository, by name. */
  async branches(repository: string): Promise<{ name: string; sha: string }[]> {
    const format = ["for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads"];
    const { stdout } = await run("git", ["--git-dir", join(this.root, `${repository}.git`), ...format]);
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [name = "", sha = ""] = line.split(" ");
        return { name, sha };
      });
  }

  async head(org: string, name: string, branch: string): Promise<string | null> {
    if (!existsSync(this.#path(org, name))) return null;
    const reference = ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`];
    return run("git", ["--git-dir", this.#path(org, name), ...reference]).then(
      ({ stdout }) => stdout.trim(),
      () => null,
    );
  }

  /** Returns the commits of a branch, newest first. */
  async log(org: string, name: string, branch: string): Promise<Commit[]> {
    const range = ["log", "--format=%H%x00%an <%ae>%x00%s", `refs/heads/${branch}`];
    const { stdout } = await run("git", ["--git-dir", this.#path(org, name), ...range], {
      maxBuffer: 1 << 26,
    });
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [sha = "", author = "", subject = ""] = line.split("\0");
        return { sha, author, subject };
      });
  }

  #path(org: string, name: string): string {
    return join(this.root, org, `${name}.git`);
  }
}

async function copyAll(from: string, to: string): Promise<void> {
  const options = ["--quiet", "--bare", "--no-hardlinks"];
  await run("git", ["-c", "safe.directory=*", "clone", ...options, "--", from, to]);
}

async function copyCommit(from: string, to: string): Promise<void> {
  const options = ["--quiet", "--bare", "--no-hardlinks", "--single-branch", "--no-tags"];
  await run("git", ["-c", "safe.directory=*", "clone", ...options, "--", from, to]);
  const copied = (...args: string[]) => run("git", ["--git-dir", to, ...args]);
  const { stdout: commit } = await copied("rev-parse", "HEAD");
  const { stdout: branches } = await copied("for-each-ref", "--format=%(refname)");
  for (const branch of branches.split("\n").filter(Boolean)) await copied("update-ref", "-d", branch);
  await copied("update-ref", "refs/heads/main", commit.trim());
  await copied("symbolic-ref", "HEAD", "refs/heads/main");
}

async function firstCommit(path: string, files: Readonly<Record<string, string>>): Promise<void> {
  const git = spawn("git", ["--git-dir", path, "fast-import", "--quiet"], {
    stdio: ["pipe", "ignore", "pipe"],
  });
  await Promise.all([pipeline(imported(files), git.stdin), requireSuccess(git)]);
}

/**
 * Yields the stream of `git fast-import` file by file, since all files may exceed what a pipe takes at once.
 */
function* imported(files: Readonly<Record<string, string>>): Generator<string> {
  yield "commit refs/heads/main\ncommitter Git Host <host@example.com> 0 +0000\n";
  yield data("First commit");
  for (const [name, content] of Object.entries(files)) yield `M 100644 inline ${name}\n${data(content)}`;
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

async function requireSuccess(child: ChildProcess): Promise<void> {
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`git fast-import: ${stderr}`);
}
