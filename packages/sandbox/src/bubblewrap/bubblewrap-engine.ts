import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { posix } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { supervisorScript } from "../commands/supervisor-script.ts";
import type { Egress } from "../egress/egress.ts";
import { ownerName } from "../host/owner.ts";
import { writePrograms } from "../inside/programs.ts";
import { prepareFiles, type SandboxFiles } from "../inside/sandbox-files.ts";
import {
  type Capability,
  type Sandbox,
  type SandboxEngine,
  SandboxError,
  type SandboxSpec,
} from "../sandbox.ts";
import { encode, isArchitecture, seccompFilter } from "../seccomp/seccomp.ts";
import type { BubblewrapSandbox } from "./bubblewrap-sandbox.ts";
import { findHierarchies } from "./cgroup-layouts.ts";
import { Cgroups } from "./cgroups.ts";
import { prepareImage } from "./disk-image.ts";
import { findHostPrograms, type HostPrograms } from "./host-programs.ts";
import { probeHost } from "./probe.ts";
import { systemArguments, writeEtc } from "./root-filesystem.ts";
import { type SandboxHost, startSandbox } from "./start-sandbox.ts";
import { sweepHost } from "./sweep-host.ts";
import { makeSystemTop, prepareSystem } from "./system-mount.ts";

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
  /** What could not be taken away of sandboxes that are gone, for the next sweep; see `Leftovers.own`. */
  readonly #left = new Map<string, string>();
  #systemTop: Promise<string> | undefined;
  #closed = false;
  #count = 0;

  constructor(options: BubblewrapOptions, parts: EngineParts) {
    this.#options = options;
    this.#parts = parts;
  }

  probe(): Promise<Capability[]> {
    return probeHost(this.#parts.cgroups.controllers, this.#parts.directory);
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

  async sweep(mayLive: (id: string) => boolean = () => true): Promise<string[]> {
    const refused = [...this.#open].filter(([id]) => !mayLive(id));
    await Promise.allSettled(refused.map(async ([, opening]) => (await opening).close()));
    const { stateDir } = this.#options;
    await sweepHost({ ...this.#parts, stateDir, own: this.#left });
    return refused.map(([id]) => id);
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
      const { onEgressDenied: onDenied, credentials } = spec;
      const steps = [
        this.#prepareDisk(spec, directory),
        this.#options.egress
          .open({
            policy: spec.egress,
            ...(onDenied ? { onDenied } : {}),
            ...(credentials ? { credentials } : {}),
          })
          .then((opened) => {
            undo.push(() => opened.close());
            return opened;
          }),
        cgroups.create(name, spec.limits),
      ] as const;
      // All have to end before any is undone.
      await Promise.allSettled(steps);
      const [{ image, files }, network, cgroup] = await Promise.all(steps);
      const system = await this.#prepareSystem(spec, directory, files);
      const made = { directory, image, system, files, network, cgroup };
      const released = (whole: boolean) => {
        this.#open.delete(spec.id);
        if (!whole) this.#left.set(name, directory);
      };
      return await startSandbox(this.#host(released), spec, made, undo);
    } catch (error) {
      for (const step of undo.reverse()) await step().catch(() => this.#left.set(name, directory));
      throw error;
    }
  }

  async #prepareDisk(spec: SandboxSpec, directory: string) {
    const image = await prepareImage(spec.disk, spec.limits.diskBytes);
    const supervisor = supervisorScript(this.#parts.programs.restoresSignals);
    return { image, files: await prepareFiles(spec, directory, supervisor, image?.path ?? null) };
  }

  async #prepareSystem({ system }: SandboxSpec, directory: string, files: SandboxFiles) {
    if (system === undefined) return null;
    const inside = (places: readonly { inside: string }[]) => places.map((place) => place.inside);
    const points = {
      directories: inside([...files.writable, ...files.directories]),
      files: inside(files.files),
    };
    this.#systemTop ??= makeSystemTop(`${this.#parts.directory}/system-top`, this.#options.certificates);
    return await prepareSystem(system, await this.#systemTop, directory, points);
  }

  #host(released: SandboxHost["released"]): SandboxHost {
    return { ...this.#parts, log: this.#options.log ?? (() => {}), released };
  }
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
