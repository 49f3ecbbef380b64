import { type ChildProcess, execFileSync, spawn } from "node:child_process";
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
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { writeTestImage } from "./test-image.ts";

const TIMEOUT_MS = 60_000;
/** The control group that every Podman uses. */
const PODMAN_GROUP = "libpod_parent";
export const TEST_IMAGE = "berth-test:latest";

/** A container engine that a test started for itself. */
export interface TestEngine {
  socket: string;
  /** Makes an image from the test image, in which these files are added or replaced: text by absolute path. */
  makeImage(name: string, files: Readonly<Record<string, string>>): Promise<void>;
  /** Removes an image. */
  removeImage(name: string): Promise<void>;
  /** Resolves when no container runs; rejects if one still does after a minute. */
  idle(): Promise<void>;
  /** Stops the engine; rejects if processes or mounts of it remain. */
  close(): Promise<void>;
}

export type EngineKind = "dockerd" | "podman";

/**
 * Returns why this machine cannot run the engine; null if it can. In CI, throws instead of returning a
 * reason.
 */
export function missingForEngine(kind: EngineKind): string | null {
  const programs = [kind, "runc", "unshare", "setpriv", "dpkg-query"].filter((name) => !isProgram(name));
  const missing =
    process.getuid?.() !== 0
      ? "this is not root"
      : programs.length > 0
        ? `${programs.join(", ")} is not installed`
        : !canMount()
          ? "root may not mount here"
          : null;
  if (missing !== null && process.env.CI === "true") throw new Error(`${kind} cannot run: ${missing}`);
  return missing;
}

/**
 * Starts an engine with its own data, socket and runtime directory, in its own mount namespace, and imports
 * the test image.
 */
export async function startTestEngine(kind: EngineKind): Promise<TestEngine> {
  const directory = await mkdtemp(join(tmpdir(), "berth-containers-"));
  const group = kind === "dockerd" ? `berth-containers-${process.pid}` : PODMAN_GROUP;
  const daemon = spawnDaemon(kind, directory, group);
  const socket = `${directory}/engine.sock`;
  const close = async () => {
    await stop(daemon);
    await waitUntilGone(directory);
    removeGroups(group);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await waitForEngine(daemon, socket, `${directory}/log`);
    await importImage(socket, writeTestImage(directory));
    return {
      socket,
      makeImage: (name, files) => makeImage(socket, join(directory, "layer"), name, files),
      removeImage: (name) =>
        call(socket, "DELETE", `/images/${encodeURIComponent(name)}`, 200).then(() => {}),
      idle: () => idle(socket),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function spawnDaemon(kind: EngineKind, directory: string, group: string): ChildProcess {
  const log = openSync(`${directory}/log`, "w");
  const configuration = `${directory}/containers.conf`;
  writeFileSync(configuration, CONTAINERS_CONF);
  for (const name of ["data", "run"]) mkdirSync(`${directory}/${name}`);
  const [data, run, socket] = [`${directory}/data`, `${directory}/run`, `unix://${directory}/engine.sock`];
  const dockerd = [
    ...["dockerd", "--data-root", data, "--exec-root", run, "--pidfile", `${directory}/pid`, "-H", socket],
    ...["--iptables=false", "--ip6tables=false", "--bridge=none", "--cgroup-parent", `/${group}`],
    ...["--exec-opt", "native.cgroupdriver=cgroupfs"],
  ];
  const podman = [
    ...["podman", "--root", data, "--runroot", run, "--storage-driver", "overlay"],
    ...["system", "service", "--time=0", socket],
  ];
  // The runtime directories below /run have fixed names, which the machine's own engine may use.
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

/**
 * The configuration of Podman, which by default raises limits beyond what root without CAP_SYS_RESOURCE may
 * set.
 */
const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

async function waitForEngine(daemon: ChildProcess, socket: string, log: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const response = await send(socket, "GET", "/_ping").catch(() => null);
    if (response?.status === 200) return;
    if (daemon.exitCode !== null || performance.now() > deadline)
      throw new Error(`The container engine does not respond:\n${readFileSync(log, "utf8").slice(-2000)}`);
    await delay(50);
  }
}

async function idle(socket: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { text } = await send(socket, "GET", "/v1.41/containers/json");
    if (JSON.parse(text).length === 0) return;
    if (performance.now() > deadline) throw new Error(`Containers are still running: ${text.slice(0, 2000)}`);
    await delay(20);
  }
}

async function importImage(socket: string, archive: string): Promise<void> {
  const [repository, tag] = TEST_IMAGE.split(":");
  const path = `/v1.41/images/create?fromSrc=-&repo=${repository}&tag=${tag}`;
  const { status } = await send(socket, "POST", path, archive);
  if (status !== 200) throw new Error(`The image could not be imported: ${status}.`);
}

/** Makes an image as the change of a container that never runs. */
async function makeImage(
  socket: string,
  directory: string,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text, { mode: 0o755 });
  }
  const archive = `${directory}.tar`;
  const names = Object.keys(files).map((path) => `.${path}`);
  execFileSync("tar", ["--create", "--file", archive, "--directory", directory, ...names]);
  const body = `${directory}.json`;
  writeFileSync(body, JSON.stringify({ Image: TEST_IMAGE, Cmd: ["/bin/sh"] }));
  const made = await call(socket, "POST", "/containers/create", 201, {
    file: body,
    type: "application/json",
  });
  const { Id: id } = JSON.parse(made) as { Id: string };
  await call(socket, "PUT", `/containers/${id}/archive?path=/`, 200, {
    file: archive,
    type: "application/x-tar",
  });
  const [, repository = "", tag = "latest"] = /^(.*?)(?::([^:/]*))?$/.exec(name) ?? [];
  await call(socket, "POST", `/commit?container=${id}&repo=${repository}&tag=${tag}`, 201);
  await call(socket, "DELETE", `/containers/${id}`, 204);
}

/** Calls the engine's API, and returns the answer's body. Rejects unless the answer has the status. */
async function call(
  socket: string,
  method: string,
  path: string,
  expected: number,
  content?: { file: string; type: string },
): Promise<string> {
  const { status, text } = await send(socket, method, `/v1.41${path}`, content?.file, content?.type);
  if (status !== expected) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 2000)}`);
  return text;
}

interface EngineResponse {
  status: number;
  text: string;
}

async function send(
  socketPath: string,
  method: string,
  path: string,
  file?: string,
  type = "application/x-tar",
): Promise<EngineResponse> {
  const headers = file === undefined ? {} : { "content-type": type };
  const outgoing = request({ socketPath, method, path, headers, agent: false });
  const responded = once(outgoing, "response");
  await Promise.all([responded, file ? pipeline(createReadStream(file), outgoing) : outgoing.end()]);
  const [response] = await responded;
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text };
}

async function stop(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  const exited = once(daemon, "exit");
  daemon.kill("SIGTERM");
  const killing = setTimeout(() => daemon.kill("SIGKILL"), TIMEOUT_MS / 2);
  await exited;
  clearTimeout(killing);
}

/** Waits until no process has the directory in its command line. */
async function waitUntilGone(directory: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (let left = processesNaming(directory); left.length > 0; left = processesNaming(directory)) {
    if (performance.now() > deadline) throw new Error(`Processes remain: ${left.join(", ")}`);
    await delay(50);
  }
  const mounts = readFileSync("/proc/self/mounts", "utf8");
  if (mounts.includes(directory)) throw new Error("Mounts remain.");
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

/** Returns the directories of the control group with this name, in all hierarchies. */
function groupsNamed(name: string): string[] {
  const root = "/sys/fs/cgroup";
  const roots = [
    root,
    ...(existsSync(root) ? readdirSync(root).map((controller) => `${root}/${controller}`) : []),
  ];
  return roots.map((directory) => `${directory}/${name}`).filter((path) => existsSync(path));
}

/** Removes empty control groups. Other Podmans of the machine share Podman's group and may be using it. */
function removeGroups(name: string): void {
  const remove = (directory: string) => {
    try {
      for (const entry of readdirSync(directory, { withFileTypes: true }))
        if (entry.isDirectory()) remove(`${directory}/${entry.name}`);
      rmdirSync(directory);
    } catch (error) {
      if (name !== PODMAN_GROUP) throw error;
    }
  };
  for (const directory of groupsNamed(name)) remove(directory);
}

function isProgram(name: string): boolean {
  return [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/sbin"].some((directory) =>
    existsSync(`${directory}/${name}`),
  );
}

function canMount(): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1] ?? "0";
  const CAP_SYS_ADMIN = 21n;
  return ((BigInt(`0x${effective}`) >> CAP_SYS_ADMIN) & 1n) === 1n;
}
