import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Egress } from "@berth/egress";
import { isArchitecture, thisProcess } from "@berth/linux";
import { COMMAND_SCRIPTS } from "../commands/supervisor.ts";
import type { SharedLimits } from "../host/cgroup/cgroup-layouts.ts";
import { freshDirectory, isLeftover, removeAll } from "../host/leftovers.ts";
import { OpenSandboxes } from "../host/open-sandboxes.ts";
import { requiredProgram } from "../host/required-program.ts";
import { writeEtcFiles } from "../inside/etc-files.ts";
import { writePrograms, writeScripts } from "../inside/programs.ts";
import type { Capability } from "../interface/capability.ts";
import { SandboxError } from "../interface/errors.ts";
import type { Sandbox, SandboxEngine } from "../interface/sandbox.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { containerProfile } from "../seccomp/container-profile.ts";
import { CommonGroup } from "./common-group.ts";
import { Containers } from "./containers.ts";
import { EngineClient } from "./engine-client.ts";
import { probeContainers } from "./probe.ts";
import { type ContainerHost, startContainer } from "./start-container.ts";

export interface DockerOptions {
  /** Stable id of the installation, `[A-Za-z0-9_-]{1,64}`; a label of its containers. */
  instance: string;
  /** Unix socket of the container engine. Default: Docker's, or Podman's when Docker's does not exist. */
  socket?: string | null;
  /** Image of sandboxes whose spec names none. */
  defaultImage: string;
  /** See `FilterOptions.perf`. */
  perf?: boolean;
  /**
   * Host directory for generated files, created with mode 0700 when missing. `close` removes the engine's
   * files in it.
   */
  stateDir: string;
  egress: Egress;
  /** Limits of all sandboxes of the installation together. Default: none. */
  sharedLimits?: SharedLimits;
  /** See `BubblewrapOptions.sole`. */
  sole?: boolean;
  /** CA certificates in PEM that sandboxes trust besides those of the host. */
  certificates: string[];
  /** Programs on the PATH of every sandbox: script text by name. Default: none. */
  programs?: Readonly<Record<string, string>>;
  log?: (line: object) => void;
}

/** The default sockets of Docker and Podman. */
const SOCKETS = ["/var/run/docker.sock", "/run/podman/podman.sock"] as const;

/**
 * Creates an engine whose sandboxes are containers of Docker or Podman on this machine.
 *
 * Rejects with `SandboxError` when no container engine responds, when it is too old, or when this process is
 * not root. Root is needed to enter the network namespaces of containers, and to give disks to the uids of
 * sessions.
 */
export async function createDockerEngine(options: DockerOptions): Promise<SandboxEngine> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(options.instance)) throw new SandboxError("not an instance id");
  if (process.getuid?.() !== 0)
    throw new SandboxError(
      "The docker engine needs Berth to run as root: it enters the networks of containers.",
    );
  if (!isArchitecture(process.arch)) throw new SandboxError(`no system call filter for ${process.arch}`);
  const socket = options.socket ?? SOCKETS.find((path) => existsSync(path));
  if (socket === undefined)
    throw new SandboxError(
      `No container engine was found: neither Docker's ${SOCKETS[0]} nor Podman's ${SOCKETS[1]}. Start one, or name its socket in BERTH_DOCKER_SOCKET.`,
    );
  const client = await EngineClient.connect(socket);
  for (const [name, provider] of [
    ["nsenter", "util-linux"],
    ["perl", "perl-base"],
  ] as const)
    requiredProgram(name, provider);
  const mkfifo = requiredProgram("mkfifo", "coreutils");
  await mkdir(options.stateDir, { recursive: true, mode: 0o700 });
  const directory = await freshDirectory(`${options.stateDir}/${thisProcess()}`);
  const seccomp = {
    text: JSON.stringify(containerProfile(process.arch, options)),
    file: `${directory}/seccomp.json`,
  };
  await Promise.all([
    writeEtcFiles(directory, options.certificates),
    writePrograms(`${directory}/programs`, options.programs ?? {}),
    writeScripts(`${directory}/commands`, COMMAND_SCRIPTS),
    writeFile(seccomp.file, seccomp.text),
  ]);
  return new DockerEngine(client, options, {
    containers: new Containers(client),
    group: await CommonGroup.of(client, options.instance, options.sharedLimits ?? null),
    version: client.version,
    egress: options.egress,
    instance: options.instance,
    owner: basename(directory),
    directory,
    seccomp,
    defaultImage: options.defaultImage,
    mkfifo,
    log: options.log ?? (() => {}),
  });
}

class DockerEngine implements SandboxEngine {
  readonly name = "docker";
  readonly runsImages = true;
  readonly #client: EngineClient;
  readonly #stateDir: string;
  readonly #sole: boolean;
  readonly #host: ContainerHost;
  readonly #open = new OpenSandboxes();
  /** Generated directories of closed sandboxes that could not be removed. */
  readonly #leftovers = new Set<string>();
  #count = 0;

  constructor(client: EngineClient, { stateDir, sole = false }: DockerOptions, host: ContainerHost) {
    this.#client = client;
    this.#stateDir = stateDir;
    this.#sole = sole;
    this.#host = host;
  }

  probe(): Promise<Capability[]> {
    return probeContainers(this.#client, this.#host);
  }

  open(spec: SandboxSpec): Promise<Sandbox> {
    return this.#open.open(spec, () => this.#openNow(spec));
  }

  async diskBytes(): Promise<null> {
    return null;
  }

  async takeChanges(): Promise<boolean> {
    throw new SandboxError("containers run images, not system trees");
  }

  async takeSnapshotChanges(): Promise<boolean> {
    throw new SandboxError("containers mount no snapshots");
  }

  async takeDirectory(disk: string, path: string, to: string): Promise<boolean> {
    await rename(join(disk, path), to);
    return true;
  }

  async sweep(mayLive: (id: string) => boolean = () => true): Promise<string[]> {
    const closed = await this.#open.closeRejected(mayLive);
    const { containers, instance } = this.#host;
    const found = await containers.list(instance);
    await removeAll([
      ...found.map(async ({ id, owner, sandbox }) => {
        if (this.#isLeftover(owner, sandbox)) await containers.remove(id);
      }),
      ...(await readdir(this.#stateDir).catch(() => [])).map(async (name) => {
        if (isLeftover(name, this.#sole))
          await rm(`${this.#stateDir}/${name}`, { recursive: true, force: true });
      }),
      ...[...this.#leftovers].map(async (directory) => {
        await rm(directory, { recursive: true, force: true });
        this.#leftovers.delete(directory);
      }),
    ]);
    return closed;
  }

  async close(): Promise<void> {
    for (const reason of await this.#open.close())
      this.#host.log({ msg: "a sandbox could not be closed", error: String(reason) });
    await this.#host.group.close();
    await rm(this.#host.directory, { recursive: true, force: true });
  }

  /**
   * Returns whether a container belongs to no running process or, if this engine made it, to no open sandbox.
   */
  #isLeftover(owner: string, sandbox: string): boolean {
    if (owner === this.#host.owner) return !this.#open.has(sandbox);
    return isLeftover(owner, this.#sole);
  }

  async #openNow(spec: SandboxSpec): Promise<Sandbox> {
    const undo: (() => Promise<unknown>)[] = [];
    const directory = `${this.#host.directory}/${(++this.#count).toString(36)}`;
    const released = (whole: boolean) => {
      this.#open.free(spec.id);
      if (!whole) this.#leftovers.add(directory);
    };
    try {
      undo.push(() => rm(directory, { recursive: true, force: true }));
      return await startContainer(this.#host, spec, directory, undo, released);
    } catch (error) {
      for (const step of undo.reverse()) await step().catch(() => this.#leftovers.add(directory));
      throw error;
    }
  }
}
