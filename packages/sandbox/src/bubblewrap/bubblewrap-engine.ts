import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { posix } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import type { Egress, NetworkNamespace } from "../egress/egress.ts";
import {
  type Capability,
  type Sandbox,
  type SandboxEngine,
  SandboxError,
  type SandboxSpec,
} from "../sandbox.ts";
import { BubblewrapSandbox } from "./bubblewrap-sandbox.ts";
import { bwrapArguments, UPLOADS_INSIDE } from "./bwrap-arguments.ts";
import { findHierarchies } from "./cgroup-layouts.ts";
import { type Cgroup, Cgroups } from "./cgroups.ts";
import { quote } from "./command-script.ts";
import { cleanPath, isBelow, makePlaces, type Place, writablePlaces } from "./disk.ts";
import { findHostPrograms, type HostPrograms } from "./host-programs.ts";
import { launch } from "./launch.ts";
import { ownerLives, ownerName } from "./owner.ts";
import { PIPES_INSIDE, Pipes } from "./pipes.ts";
import { copyReadOnly, placeUpload } from "./place-file.ts";
import { probeHost } from "./probe.ts";
import { systemArguments, writeEtc, writePrograms } from "./root-filesystem.ts";
import { encode, isArchitecture, seccompFilter } from "./seccomp.ts";
import { stageDirectories } from "./stages.ts";
import { Supervisor } from "./supervisor.ts";
import { supervisorScript } from "./supervisor-script.ts";

const LONGEST_START_MS = 20_000;

export interface BubblewrapOptions {
  /** Stable id of the installation, `[A-Za-z0-9_-]{1,64}`; names its control groups. */
  instance: string;
  /** Host directory for generated files, 0700, made when missing. Left as it was found after `close`. */
  stateDir: string;
  egress: Egress;
  /** PEM of CAs to trust inside beside the host's bundle. */
  certificates: string[];
  /** Programs on the PATH of every sandbox: name to script text. */
  programs?: Readonly<Record<string, string>>;
  log?: (line: object) => void;
}

/** Rejects with `SandboxError` when a program is missing or the machine's kind is unknown. */
export async function createBubblewrapEngine(options: BubblewrapOptions): Promise<SandboxEngine> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(options.instance)) throw new SandboxError("not an instance id");
  if (!isArchitecture(process.arch)) throw new SandboxError(`no system call filter for ${process.arch}`);
  const programs = await findHostPrograms();
  const owner = await ownerName();
  const generated = `${options.stateDir}/${owner}`;
  await mkdir(options.stateDir, { recursive: true, mode: 0o700 });
  const directory = await freshDirectory(generated);
  const hierarchies = findHierarchies("/sys/fs/cgroup", readFileSync("/proc/self/cgroup", "utf8"));
  const cgroups = new Cgroups(hierarchies, options.instance);
  await Promise.all([
    writeEtc(`${directory}/etc`, options.certificates),
    writePrograms(`${directory}/programs`, options.programs ?? {}, rgPath),
    writeFile(`${directory}/groups`, cgroups.parents.join("\n")),
    writeFile(`${directory}/filter`, encode(seccompFilter(process.arch))),
  ]);
  return new BubblewrapEngine(options, {
    programs,
    owner,
    directory,
    cgroups,
    system: await systemArguments(),
  });
}

interface EngineParts {
  programs: HostPrograms;
  /** Name of this process, which its groups and directories carry. */
  owner: string;
  directory: string;
  cgroups: Cgroups;
  system: readonly string[];
}

class BubblewrapEngine implements SandboxEngine {
  readonly name = "bubblewrap";
  readonly #options: BubblewrapOptions;
  readonly #parts: EngineParts;
  readonly #open = new Map<string, Promise<BubblewrapSandbox>>();
  #closed = false;
  #count = 0;

  constructor(options: BubblewrapOptions, parts: EngineParts) {
    this.#options = options;
    this.#parts = parts;
  }

  probe(): Promise<Capability[]> {
    return probeHost(this.#parts.cgroups.controllers);
  }

  async open(spec: SandboxSpec): Promise<Sandbox> {
    if (!/^[a-z0-9_]{1,64}$/.test(spec.id))
      throw new SandboxError(`not a sandbox id: ${JSON.stringify(spec.id)}`);
    if (this.#closed) throw new SandboxError("the engine is closed");
    if (this.#open.has(spec.id)) throw new SandboxError(`the sandbox ${spec.id} is open already`);
    const opening = this.#openNow(spec);
    this.#open.set(spec.id, opening);
    try {
      return await opening;
    } catch (error) {
      this.#open.delete(spec.id);
      throw error instanceof SandboxError
        ? error
        : new SandboxError("the sandbox could not be opened", { cause: error });
    }
  }

  async sweep(): Promise<void> {
    const { cgroups, owner } = this.#parts;
    const stale = async (name: string) => {
      const made = name.split(".")[0] ?? "";
      return /^\d+-\d+$/.test(made) && made !== owner && !(await ownerLives(made));
    };
    const { stateDir } = this.#options;
    for (const name of await readdir(stateDir).catch(() => [])) {
      if (!(await stale(name))) continue;
      // A server that ran in another group made its own below that.
      const former = Cgroups.in(await readLines(`${stateDir}/${name}/groups`));
      await former.destroyAll(stale);
      await former.close();
      await rm(`${stateDir}/${name}`, { recursive: true, force: true });
    }
    await cgroups.destroyAll(stale);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opened = await Promise.allSettled(this.#open.values());
    const closed = await Promise.allSettled(
      opened.map((result) => (result.status === "fulfilled" ? result.value.close() : undefined)),
    );
    for (const { reason } of closed.filter((result) => result.status === "rejected"))
      this.#options.log?.({ msg: "a sandbox could not be closed", error: String(reason) });
    await this.#parts.cgroups.close();
    await rm(this.#parts.directory, { recursive: true, force: true });
  }

  async #openNow(spec: SandboxSpec): Promise<BubblewrapSandbox> {
    const { cgroups, owner } = this.#parts;
    const undo: (() => Promise<unknown>)[] = [];
    const name = `${owner}.${(++this.#count).toString(36)}-${process.hrtime.bigint().toString(36)}`;
    const directory = `${this.#parts.directory}/${this.#count.toString(36)}`;
    try {
      undo.push(
        () => rm(directory, { recursive: true, force: true }),
        () => cgroups.destroy(name),
      );
      const onDenied = spec.onEgressDenied;
      const steps = [
        this.#prepareFiles(spec, directory),
        this.#options.egress
          .open({ policy: spec.egress, ...(onDenied ? { onDenied } : {}) })
          .then((opened) => {
            undo.push(() => opened.close());
            return opened;
          }),
        cgroups.create(name, spec.limits),
      ] as const;
      // All have to end before any is undone.
      await Promise.allSettled(steps);
      const [places, network, cgroup] = await Promise.all(steps);
      return await this.#start(spec, { directory, places, network, cgroup }, undo);
    } catch (error) {
      for (const step of undo.reverse()) await step().catch(() => {});
      throw error;
    }
  }

  async #start(spec: SandboxSpec, made: Made, undo: (() => Promise<unknown>)[]): Promise<BubblewrapSandbox> {
    const { programs, system, directory, cgroups } = this.#parts;
    const seccompFd = openSync(`${directory}/filter`, "r");
    try {
      const { stages, reach } = stageDirectories(hostUid(spec) === null ? [] : stagesOf(directory, spec));
      const reachable = (places: readonly Place[]) =>
        places.map(({ host, inside }) => ({ host: reach(host), inside }));
      const sources = {
        system,
        etc: reach(`${directory}/etc`),
        programs: reach(`${directory}/programs`),
        pipes: reach(made.places.pipes),
        uploads: reach(made.places.uploads),
        writable: reachable(made.places.writable),
        files: reachable(made.places.files),
        directories: reachable(made.places.directories),
      };
      const { child, init } = await launch({
        programs,
        uid: hostUid(spec),
        processFiles: made.cgroup.processFiles,
        controllers: cgroups.controllers,
        limits: spec.limits,
        network: made.network,
        seccompFd,
        bwrapArguments: bwrapArguments(sources, spec.limits),
        stages,
        supervisor: `${PIPES_INSIDE}/supervisor`,
      });
      undo.push(async () => child.kill("SIGKILL"));
      let complaint = "";
      child.stderr?.on("data", (chunk) => {
        if (complaint.length < 2000) complaint += String(chunk);
      });
      const spawned = new Promise<never>((_, reject) => child.once("error", reject));
      const supervisor = new Supervisor(child, () => {
        this.#options.log?.({ msg: "process 1 of a sandbox does not answer", sandbox: spec.id });
        child.kill("SIGKILL");
      });
      const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_START_MS);
      const pid = await Promise.race([init.catch(() => null), spawned]);
      const ready = await Promise.race([supervisor.ready, spawned]).finally(() => clearTimeout(timer));
      if (pid === null || !ready)
        throw new SandboxError(`bubblewrap could not start: ${complaint.trim() || "it ended"}`);
      const uid = hostUid(spec);
      const sandbox = new BubblewrapSandbox({
        id: spec.id,
        child,
        init: pid,
        supervisor,
        pipes: new Pipes(made.places.pipes, uid, programs.mkfifo),
        cgroup: made.cgroup,
        network: made.network,
        directory: made.directory,
        uploads: made.places.uploads,
        writable: ["/tmp", ...made.places.writable.map(({ inside }) => inside)],
        mounted: made.places.files.map(({ inside }) => inside),
        released: () => this.#open.delete(spec.id),
      });
      await this.#furnish(sandbox, made.places);
      return sandbox;
    } finally {
      closeSync(seccompFd);
    }
  }

  /** What only a process inside may do: make places below others and put files there. */
  async #furnish(sandbox: BubblewrapSandbox, places: Files): Promise<void> {
    if (places.nested.length > 0) {
      const script = `mkdir -p -- ${places.nested.map(quote).join(" ")}`;
      const { exitCode, output } = await sandbox.run({ script, timeoutMs: LONGEST_START_MS });
      if (exitCode !== 0) throw new SandboxError(`a directory could not be made: ${Buffer.from(output)}`);
    }
    for (const file of places.later) {
      if (!(await sandbox.placeFile(file))) throw new SandboxError(`${file.target} could not be placed`);
    }
  }

  async #prepareFiles(spec: SandboxSpec, directory: string): Promise<Files> {
    const uid = hostUid(spec);
    const { mounted, nested } = writablePlaces(spec);
    const pipes = `${directory}/pipes`;
    const uploads = `${directory}/uploads`;
    makePlaces(spec.disk, mounted, uid);
    await mkdir(pipes, { recursive: true, mode: 0o711 });
    await writeFile(`${pipes}/supervisor`, supervisorScript(this.#parts.programs.restoresSignals));
    await mkdir(uploads, { mode: 0o755 });
    await mkdir(`${directory}/files`, { mode: 0o755 });
    const files: Place[] = [];
    const later = [];
    for (const [index, { source, target: path }] of spec.files.entries()) {
      const target = cleanPath(path);
      const writable = mounted.some(({ inside }) => isBelow(target, inside));
      if (isBelow(target, UPLOADS_INSIDE)) await placeUpload(uploads, { source, target });
      else if (writable || isBelow(target, "/tmp")) later.push({ source, target });
      else {
        const host = `${directory}/files/${index}`;
        await copyReadOnly(source, host);
        files.push({ host, inside: target });
      }
    }
    const directories = directoryPlaces(spec, mounted);
    return { pipes, uploads, writable: mounted, nested, files, directories, later };
  }
}

interface Files {
  pipes: string;
  uploads: string;
  writable: Place[];
  nested: string[];
  files: Place[];
  directories: Place[];
  /** Placed from inside once the sandbox stands. */
  later: { source: string; target: string }[];
}

interface Made {
  directory: string;
  places: Files;
  network: NetworkNamespace;
  cgroup: Cgroup;
}

/** Directories that are mounted lie mostly side by side, and what holds them is shown once. */
function stagesOf(directory: string, { disk, directories = [] }: SandboxSpec): string[] {
  return [...new Set([directory, disk, ...directories.map(({ source }) => posix.dirname(source))])];
}

/** A mount in a place that the agent writes would follow the agent's links. */
function directoryPlaces({ directories = [] }: SandboxSpec, writable: readonly Place[]): Place[] {
  return directories.map(({ source, target }) => {
    const inside = cleanPath(target);
    if (
      [...writable.map((place) => place.inside), UPLOADS_INSIDE, "/tmp"].some((place) =>
        isBelow(inside, place),
      )
    )
      throw new SandboxError(`no directory can be mounted at ${inside}`);
    return { host: source, inside };
  });
}

/** The uid to become, null where this process is not root and stays what it is. */
function hostUid(spec: SandboxSpec): number | null {
  if (process.getuid?.() !== 0) return null;
  if (!Number.isInteger(spec.uid) || spec.uid < 1000)
    throw new SandboxError(`not an unprivileged uid: ${spec.uid}`);
  return spec.uid;
}

async function readLines(path: string): Promise<string[]> {
  return (await readFile(path, "utf8").catch(() => "")).split("\n").filter(Boolean);
}

/** Several engines in one process have a directory each. */
async function freshDirectory(prefix: string): Promise<string> {
  for (let number = 0; ; number++) {
    const path = `${prefix}.${number}`;
    const made = await mkdir(path, { mode: 0o711 }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
        return false;
      },
    );
    if (made) return posix.normalize(path);
  }
}
