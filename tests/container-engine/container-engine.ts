import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { writeTestImage } from "./test-image.ts";

const LONGEST_MS = 60_000;
const PODMANS_GROUPS = "libpod_parent";
export const TEST_IMAGE = "berth-test:latest";

/** A container engine that a test has started for itself. */
export interface TestEngine {
  socket: string;
  /** Resolves when no container runs; rejects when one still does after a minute. */
  idle(): Promise<void>;
  /** Stops it, and rejects when something of it is left. */
  close(): Promise<void>;
}

export type Kind = "dockerd" | "podman";

/** Why this machine cannot run such an engine, or null. It must in CI, where a missing one fails the test. */
export function lackOf(kind: Kind): string | null {
  const missing = [kind, "runc", "unshare", "setpriv", "dpkg-query"].filter((name) => !isProgram(name));
  const lack =
    process.getuid?.() !== 0
      ? "this is not root"
      : missing.length > 0
        ? `${missing.join(", ")} is not installed`
        : !mayMount()
          ? "this root may not mount"
          : null;
  if (lack !== null && process.env.CI === "true") throw new Error(`${kind} cannot run: ${lack}`);
  return lack;
}

/** Starts one with its own roots, socket and runtime directory, in a mount namespace of its own, and imports the test image. */
export async function startTestEngine(kind: Kind): Promise<TestEngine> {
  const directory = await mkdtemp(join(tmpdir(), "berth-containers-"));
  const groups = kind === "dockerd" ? `berth-containers-${process.pid}` : PODMANS_GROUPS;
  const daemon = spawnDaemon(kind, directory, groups);
  const socket = `${directory}/engine.sock`;
  const close = async () => {
    await stop(daemon);
    await gone(directory);
    removeGroups(groups);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await answers(daemon, socket, `${directory}/log`);
    await importImage(socket, writeTestImage(directory));
    return { socket, idle: () => idle(socket), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function spawnDaemon(kind: Kind, directory: string, groups: string): ChildProcess {
  const log = openSync(`${directory}/log`, "w");
  const configuration = `${directory}/containers.conf`;
  writeFileSync(configuration, CONTAINERS_CONF);
  for (const name of ["data", "run"]) mkdirSync(`${directory}/${name}`);
  const [data, run, socket] = [`${directory}/data`, `${directory}/run`, `unix://${directory}/engine.sock`];
  const dockerd = [
    ...["dockerd", "--data-root", data, "--exec-root", run, "--pidfile", `${directory}/pid`, "-H", socket],
    ...["--iptables=false", "--ip6tables=false", "--bridge=none", "--cgroup-parent", `/${groups}`],
    ...["--exec-opt", "native.cgroupdriver=cgroupfs"],
  ];
  const podman = [
    ...["podman", "--root", data, "--runroot", run, "--storage-driver", "overlay"],
    ...["system", "service", "--time=0", socket],
  ];
  // Their runtime directories below /run have fixed names, and the machine may have an engine of its own.
  const script = `mount -t tmpfs none /run && exec setpriv --pdeathsig TERM -- "$@"`;
  const words = ["--mount", "--propagation=private", "--", "sh", "-c", script, "sh"];
  const daemon = spawn("unshare", [...words, ...(kind === "dockerd" ? dockerd : podman)], {
    cwd: directory,
    env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, HOME: directory, CONTAINERS_CONF: configuration },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  return daemon;
}

/** Podman raises limits over what a root without CAP_SYS_RESOURCE may, unless it is told otherwise. */
const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

async function answers(daemon: ChildProcess, socket: string, log: string): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  for (;;) {
    const answer = await ask(socket, "GET", "/_ping").catch(() => null);
    if (answer?.status === 200) return;
    if (daemon.exitCode !== null || performance.now() > until)
      throw new Error(`the engine does not answer:\n${readFileSync(log, "utf8").slice(-2000)}`);
    await delay(50);
  }
}

async function idle(socket: string): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  for (;;) {
    const { text } = await ask(socket, "GET", "/v1.41/containers/json");
    if (JSON.parse(text).length === 0) return;
    if (performance.now() > until) throw new Error(`containers run on: ${text.slice(0, 2000)}`);
    await delay(20);
  }
}

async function importImage(socket: string, archive: string): Promise<void> {
  const [repository, tag] = TEST_IMAGE.split(":");
  const path = `/v1.41/images/create?fromSrc=-&repo=${repository}&tag=${tag}`;
  const { status } = await ask(socket, "POST", path, archive);
  if (status !== 200) throw new Error(`the image could not be imported: ${status}`);
}

interface Answer {
  status: number;
  text: string;
}

async function ask(socketPath: string, method: string, path: string, file?: string): Promise<Answer> {
  const headers = { "content-type": "application/x-tar" };
  const asked = request({ socketPath, method, path, headers, agent: false });
  const answered = once(asked, "response");
  await Promise.all([answered, file ? pipeline(createReadStream(file), asked) : asked.end()]);
  const [answer] = await answered;
  let text = "";
  for await (const chunk of answer) text += chunk;
  return { status: answer.statusCode, text };
}

async function stop(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  const exited = once(daemon, "exit");
  daemon.kill("SIGTERM");
  const killing = setTimeout(() => daemon.kill("SIGKILL"), LONGEST_MS / 2);
  await exited;
  clearTimeout(killing);
}

/** Waits until no process names the directory any more. */
async function gone(directory: string): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  for (let left = processesNaming(directory); left.length > 0; left = processesNaming(directory)) {
    if (performance.now() > until) throw new Error(`processes are left: ${left.join(", ")}`);
    await delay(50);
  }
  const mounts = readFileSync("/proc/self/mounts", "utf8");
  if (mounts.includes(directory)) throw new Error("mounts are left");
}

function processesNaming(directory: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
        return words.includes(directory) ? [`${pid} ${words}`] : [];
      } catch {
        return [];
      }
    });
}

/** Directories of control groups that have this name below a root. */
function groupsNamed(name: string): string[] {
  const root = "/sys/fs/cgroup";
  const roots = [
    root,
    ...(existsSync(root) ? readdirSync(root).map((controller) => `${root}/${controller}`) : []),
  ];
  return roots.map((directory) => `${directory}/${name}`).filter((path) => existsSync(path));
}

/** Takes away what is empty. Podman's name is that of all Podmans of the machine, which may use it. */
function removeGroups(name: string): void {
  const remove = (directory: string) => {
    try {
      for (const entry of readdirSync(directory, { withFileTypes: true }))
        if (entry.isDirectory()) remove(`${directory}/${entry.name}`);
      rmdirSync(directory);
    } catch (error) {
      if (name !== PODMANS_GROUPS) throw error;
    }
  };
  for (const directory of groupsNamed(name)) remove(directory);
}

function isProgram(name: string): boolean {
  return [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/sbin"].some((directory) =>
    existsSync(`${directory}/${name}`),
  );
}

function mayMount(): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1] ?? "0";
  const CAP_SYS_ADMIN = 21n;
  return ((BigInt(`0x${effective}`) >> CAP_SYS_ADMIN) & 1n) === 1n;
}
