import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createEgress } from "@berth/egress";
import type { GitHost, GitHostOptions } from "../../../tests/git-host/git-host.ts";
import { startGitHubHost } from "../../../tests/git-host/github-host.ts";
import { createBubblewrapEngine } from "../src/bubblewrap/bubblewrap-engine.ts";
import type { Sandbox } from "../src/interface/sandbox.ts";
import type { SandboxSpec } from "../src/interface/spec.ts";
import { type CloneOptions, cloneRepository } from "../src/workspace/clone-repository.ts";
import type { CloneResult, RepositoryMount } from "../src/workspace/repository/repository.ts";
import {
  repositoryEnvironment,
  WORKSPACE_PROGRAMS,
} from "../src/workspace/repository/repository-environment.ts";

const run = promisify(execFile);

export interface CloneRequest extends Partial<RepositoryMount>, Partial<CloneOptions> {
  /** Default: the workbench's token, which can read all repositories. Null for none. */
  token?: string | null;
}

/** A test environment with a git host, and real sandboxes that reach it. */
export interface Workbench {
  /** A directory on the host for the test's own files. */
  dir: string;
  host: GitHost;
  token: string;
  open(overrides?: Partial<SandboxSpec>): Promise<Sandbox>;
  /** Clones `acme/<name>`, by default to `/data/<name>`. */
  clone(sandbox: Sandbox, name: string, request?: CloneRequest): Promise<CloneResult>;
  /** Creates `acme/<name>` from a new repository in which `script` runs, in a shell on the host. */
  push(name: string, script: string): Promise<void>;
  close(): Promise<void>;
}

export interface WorkbenchOptions {
  /** Paths of PEM files with further CA certificates that sandboxes trust. */
  caFiles?: readonly string[];
  /** Further `host:port` pairs on this machine that the egress allows. */
  reachable?: readonly string[];
  /** See `GitHostOptions.intercept`. */
  intercept?: NonNullable<GitHostOptions["intercept"]>;
}

let count = 0;
let benches = 0;

export async function makeWorkbench({
  caFiles = [],
  reachable = [],
  intercept = () => false,
}: WorkbenchOptions = {}): Promise<Workbench> {
  const dir = await mkdtemp(join(tmpdir(), "workspace-"));
  const host = await startGitHubHost({ dir: join(dir, "host"), intercept });
  const hosts = [host.host, ...reachable];
  const egress = await createEgress({ allowPrivate: hosts });
  const engine = await createBubblewrapEngine({
    instance: `test-${process.pid}-${++benches}`,
    stateDir: join(dir, "state"),
    egress,
    certificates: await Promise.all([host.caFile, ...caFiles].map((file) => readFile(file, "utf8"))),
    programs: WORKSPACE_PROGRAMS,
  });
  const token = host.createToken({ user: "robot", permissions: "write" });
  return {
    dir,
    host,
    token,
    open: (overrides = {}) => {
      const id = `s${process.pid}_${++count}`;
      const uid = process.getuid?.() === 0 ? 71_000 : (process.getuid?.() ?? 0);
      const limits = { memoryBytes: 1024 ** 3, pids: 256, cpus: 2, diskBytes: null };
      const spec = { id, disk: join(dir, id), uid, limits, files: [], writable: [] };
      return engine.open({ ...spec, egress: { mode: "limited", hosts }, ...overrides });
    },
    clone: (sandbox, name, { token: given = token, ...request } = {}) => {
      const mount = {
        url: `${host.url}/acme/${name}`,
        mountPath: `/data/${name}`,
        checkout: null,
        ...request,
      };
      return cloneRepository(sandbox, mount, {
        environment: repositoryEnvironment([{ url: mount.url, secret: given, provider: null }]),
        ...request,
      });
    },
    push: async (name, script) => {
      const from = join(dir, `local-${name}`);
      const identity = "git config user.name T && git config user.email t@example.com";
      const begin = `git init -q -b main '${from}' && cd '${from}' && ${identity}`;
      await run("sh", ["-euc", `${begin}\n${script}\ngit commit -qm 'Local commit'`]);
      await host.createRepository({ org: "acme", name, private: true, copyOf: from });
    },
    close: async () => {
      await engine.close();
      await egress.close();
      await host.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Runs a script in a sandbox and requires that it succeeds. Returns its output without the last newline. */
export async function sh(
  sandbox: Sandbox,
  script: string,
  environment: Record<string, string> = {},
): Promise<string> {
  const { exitCode, output } = await sandbox.run({ script, environment, timeoutMs: 120_000 });
  const text = Buffer.from(output).toString();
  assert.equal(exitCode, 0, `${script}\n${text}`);
  return text.replace(/\n$/, "");
}
