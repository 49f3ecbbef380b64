import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { GitHost } from "../git-host/git-host.ts";

const run = promisify(execFile);

/** A small repository that has something that real ones have, with what a developer does in it. */
export interface Project {
  /** The repository's name. */
  name: string;
  /** Text by path. A file that begins with `#!` may be executed. */
  files: Readonly<Record<string, string>>;
  /** Changes the repository's directory before its first commit. */
  prepare?: (directory: string, host: GitHost) => Promise<void>;
  /** `runtimes` of its environment. */
  runtimes?: "auto" | Readonly<Record<string, string>>;
  /** Its session follows its `devcontainer.json`; what the session then says of it. */
  devcontainer?: {
    /** `runtime file` of each that is chosen, sorted. */
    chosen: readonly string[];
    forwardPorts: readonly number[];
  };
  /** Debian packages of its environment. */
  apt?: readonly string[];
  /** Builds and tests. Succeeds as often as it is run; its last line is `tested`. */
  check: string;
  /** A page of a server that the agent leaves running. Browsers that show it see an edit without a reload. */
  page?: {
    /** Starts the server in the background, and succeeds once it listens. */
    start: string;
    port: number;
    /** Text that the page shows. */
    shows: string;
    edit: string;
    /** Text that the page shows after the edit. */
    showsThen: string;
    /** Undoes the edit and ends the server. */
    end: string;
  };
  /** Changes the project such that `check` succeeds and the commit is not empty. */
  change: string;
}

/** Makes the project's repository at the host, as `acme/<name>`. */
export async function makeRepository(host: GitHost, project: Project): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), `project-${project.name}-`));
  try {
    await writeFiles(directory, project.files);
    const git = (...args: string[]) => run("git", args, { cwd: directory });
    await git("init", "--quiet", "--initial-branch=main");
    await project.prepare?.(directory, host);
    await git("add", "--all");
    const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    // Git would begin to pack in the background, while the host copies the objects.
    await git(...identity, "-c", "gc.auto=0", "commit", "--quiet", "--no-verify", "-m", "First commit");
    await git("repack", "-adq");
    await host.createRepository({ org: "acme", name: project.name, private: true, from: directory });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function writeFiles(directory: string, files: Project["files"]): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    if (text.startsWith("#!")) await chmod(path, 0o755);
  }
}
