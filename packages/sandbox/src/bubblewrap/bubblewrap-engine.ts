import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import type { Egress } from "@berth/egress";
import { encode, isArchitecture, thisProcess } from "@berth/linux";
import { COMMAND_SCRIPTS, scriptsIn } from "../commands/supervisor.ts";
import { findHierarchies, type SharedLimits } from "../host/cgroup/cgroup-layouts.ts";
import { Cgroups } from "../host/cgroup/cgroups.ts";
import { takeCores } from "../host/cores.ts";
import { freshDirectory } from "../host/leftovers.ts";
import { openEgress } from "../host/open-egress.ts";
import { OpenSandboxes } from "../host/open-sandboxes.ts";
import { prepareFiles, type SandboxFiles } from "../host/sandbox-files.ts";
import { writePrograms, writeScripts } from "../inside/programs.ts";
import type { Capability } from "../interface/capability.ts";
import { ImageError, RuntimeClassError, SandboxError } from "../interface/errors.ts";
import type { Sandbox, SandboxEngine } from "../interface/sandbox.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { seccompFilter } from "../seccomp/seccomp.ts";
import { DiskImages } from "./disk-image/disk-images.ts";
import { BrokenDiskError } from "./disk-image/fsck-and-resize.ts";
import { findHostPrograms, type HostPrograms } from "./launch/host-programs.ts";
import { Launchers } from "./launch/launchers.ts";
import { probeHost } from "./probe.ts";
import { MountHelper } from "./snapshot/mount-helper.ts";
import { snapshotChanges } from "./snapshot/snapshots.ts";
import type { BubblewrapSandbox } from "./start/bubblewrap-sandbox.ts";
import type { SandboxHost } from "./start/launch-options.ts";
import { startSandbox } from "./start/start-sandbox.ts";
import { sweepHost } from "./sweep-host.ts";
import { systemArguments, writeEtc } from "./system-layers/root-filesystem.ts";
import { makeSystemTop, prepareSystem } from "./system-layers/system-mount.ts";
import { takeChanges } from "./system-layers/take-changes.ts";

export interface BubblewrapOptions {
  /** Stable id of the installation, `[A-Za-z0-9_-]{1,64}`, part of the names of its control groups. */
  instance: string;
  /**
   * Host directory for generated files, created with mode 0700 when missing. `close` removes the engine's
   * files in it.
   */
  stateDir: string;
  egress: Egress;
  /**
   * Whether processes of this instance elsewhere (in another container, or before a reboot) must be gone,
   * because this process holds something exclusive. A sweep then also removes what they left. Default: false.
   */
  sole?: boolean;
  /** CA certificates in PEM that sandboxes trust besides those of the host. */
  certificates: string[];
  /** Programs on the PATH of every sandbox: script text by name. Default: none. */
  programs?: Readonly<Record<string, string>>;
  /**
   * Limit in bytes of a disk whose spec has null as `diskBytes`, where this machine can enforce limits. A
   * disk that was created where it cannot never gets a limit. Default: none.
   */
  defaultDiskBytes?: number;
  /**
   * Limits of all sandboxes of the installation together, where this machine can enforce them. Default: none.
   */
  sharedLimits?: SharedLimits;
  /** See `FilterOptions.perf`. */
  perf?: boolean;
  log?: (line: object) => void;
}

/**
 * Creates an engine whose sandboxes are bubblewrap processes. Rejects with `SandboxError` when a host program
 * is missing or this CPU architecture is not supported.
 */
export async function createBubblewrapEngine(options: BubblewrapOptions): Promise<SandboxEngine> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(options.instance)) throw new SandboxError("not an instance id");
  if (!isArchitecture(process.arch)) throw new SandboxError(`no system call filter for ${process.arch}`);
  const programs = await findHostPrograms();
  const owner = thisProcess();
  const generated = `${options.stateDir}/${owner}`;
  await mkdir(options.stateDir, { recursive: true, mode: 0o700 });
  const directory = await freshDirectory(generated);
  const hierarchies = findHierarchies("/sys/fs/cgroup", readFileSync("/proc/self/cgroup", "utf8"));
  const cgroups = new Cgroups(hierarchies, options.instance, options.sharedLimits ?? null);
  await Promise.all([
    writeEtc(directory, options.certificates),
    writePrograms(`${directory}/programs`, options.programs ?? {}),
    writeScripts(`${directory}/commands`, COMMAND_SCRIPTS),
    writeFile(`${directory}/groups`, cgroups.parents.join("\n")),
    writeFile(`${directory}/filter`, encode(seccompFilter(process.arch, { perf: options.perf ?? false }))),
    writeFile(`${directory}/packages-filter`, encode(seccompFilter(process.arch, { openFileLocks: true }))),
  ]);
  const launchers = (filter: string) =>
    new Launchers({ perl: programs.perl, filter: `${directory}/${filter}`, cgroups, owner });
  return new BubblewrapEngine(options, {
    programs,
    launchers: launchers("filter"),
    packageLaunchers: launchers("packages-filter"),
    mounts: new MountHelper(programs.perl),
    owner,
    directory,
    cgroups,
    system: await systemArguments(),
  });
}

interface EngineDeps {
  programs: HostPrograms;
  launchers: Launchers;
  /** For `SystemLayers.packages`. */
  packageLaunchers: Launchers;
  mounts: MountHelper;
  /** Identifies this process in the names of its groups and directories. */
  owner: string;
  directory: string;
  cgroups: Cgroups;
  system: readonly string[];
}

class BubblewrapEngine implements SandboxEngine {
  readonly name = "bubblewrap";
  readonly #options: BubblewrapOptions;
  readonly #deps: EngineDeps;
  readonly #images: DiskImages;
  readonly #open = new OpenSandboxes();
  /** Directories of closed sandboxes that could not be removed, for the next sweep; see `Leftovers.own`. */
  readonly #leftovers = new Map<string, string>();
  #systemTop: Promise<string> | undefined;
  #count = 0;

  constructor(options: BubblewrapOptions, deps: EngineDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#images = new DiskImages(deps.directory, options.defaultDiskBytes ?? null);
  }

  probe(): Promise<Capability[]> {
    return probeHost(this.#deps.cgroups, this.#deps.directory);
  }

  open(spec: SandboxSpec): Promise<Sandbox> {
    return this.#open.open(spec, () => this.#openOrRepair(spec));
  }

  diskBytes(disk: string): Promise<number | null> {
    return this.#images.bytes(disk);
  }

  takeChanges(disk: string, to: string, signal: AbortSignal): Promise<boolean> {
    return takeChanges(disk, to, signal);
  }

  takeSnapshotChanges(disk: string, target: string, to: string, signal: AbortSignal): Promise<boolean> {
    return takeChanges(disk, to, signal, snapshotChanges(target));
  }

  takeDirectory(disk: string, path: string, to: string, signal: AbortSignal): Promise<boolean> {
    return takeChanges(disk, to, signal, path);
  }

  async sweep(mayLive: (id: string) => boolean = () => true): Promise<string[]> {
    const closed = await this.#open.closeRejected(mayLive);
    const { stateDir, sole = false } = this.#options;
    await sweepHost({ ...this.#deps, stateDir, sole, own: this.#leftovers });
    return closed;
  }

  async close(): Promise<void> {
    for (const reason of await this.#open.close())
      this.#options.log?.({ msg: "a sandbox could not be closed", error: String(reason) });
    this.#deps.mounts.close();
    await Promise.all([this.#deps.launchers.close(), this.#deps.packageLaunchers.close()]);
    await this.#images.close();
    await this.#deps.cgroups.close();
    await rm(this.#deps.directory, { recursive: true, force: true });
  }

  async #openOrRepair(spec: SandboxSpec): Promise<BubblewrapSandbox> {
    try {
      return await this.#openNow(spec);
    } catch (error) {
      if (!(error instanceof BrokenDiskError)) throw error;
      await this.#images.repair(spec.disk);
      this.#options.log?.({ msg: "a disk that could not be mounted was repaired", sandbox: spec.id });
      return await this.#openNow(spec);
    }
  }

  async #openNow(spec: SandboxSpec): Promise<BubblewrapSandbox> {
    if (spec.image)
      throw new ImageError("Sandboxes of this installation run no images: its engine is bubblewrap.");
    if (spec.runtimeClass) throw new RuntimeClassError("Sandboxes of this installation are not pods.");
    const undo: (() => Promise<unknown>)[] = [];
    const directory = `${this.#deps.directory}/${(++this.#count).toString(36)}`;
    const { launchers, packageLaunchers } = this.#deps;
    const launcher = await (spec.system?.packages ? packageLaunchers : launchers).take();
    const { name } = launcher.cgroup;
    try {
      undo.push(
        () => rm(directory, { recursive: true, force: true }),
        () => launcher.end(),
      );
      const steps = [
        this.#prepareDisk(spec, directory),
        openEgress(this.#options.egress, spec).then((opened) => {
          undo.push(() => opened.close());
          return opened;
        }),
        launcher.cgroup.limit(spec.limits),
      ] as const;
      // Every step must settle before any is undone.
      await Promise.allSettled(steps);
      const [{ image, files }, network] = await Promise.all(steps);
      const system = await this.#prepareSystem(spec, directory, files);
      const cores = takeCores(spec.limits.cpus);
      undo.push(async () => cores.release());
      const made = { directory, image, system, files, network, launcher, cores };
      const released = (whole: boolean) => {
        cores.release();
        this.#open.free(spec.id);
        if (!whole) this.#leftovers.set(name, directory);
      };
      return await startSandbox(this.#host(released), spec, made);
    } catch (error) {
      for (const step of undo.reverse()) await step().catch(() => this.#leftovers.set(name, directory));
      throw error;
    }
  }

  async #prepareDisk(spec: SandboxSpec, directory: string) {
    const image = await this.#images.prepare(spec.disk, spec.limits.diskBytes);
    const scripts = scriptsIn(`${this.#deps.directory}/commands`);
    return { image, files: await prepareFiles(spec, directory, scripts, image?.path ?? null) };
  }

  async #prepareSystem({ system }: SandboxSpec, directory: string, files: SandboxFiles) {
    if (system === undefined) return null;
    const inside = (mounts: readonly { inside: string }[]) => mounts.map((mount) => mount.inside);
    const points = {
      directories: inside([...files.writable, ...files.directories]),
      files: inside(files.files),
    };
    this.#systemTop ??= makeSystemTop(`${this.#deps.directory}/system-top`, this.#options.certificates);
    return await prepareSystem(system, await this.#systemTop, directory, points);
  }

  #host(released: SandboxHost["released"]): SandboxHost {
    return { ...this.#deps, log: this.#options.log ?? (() => {}), released };
  }
}
