import { supervisorCommand } from "../commands/supervisor.ts";
import { mayDumpCore } from "../host/core-dumps.ts";
import { HIDDEN_DIRECTORIES, HIDDEN_FILES } from "../host/hidden-proc.ts";
import { hiddenSys } from "../host/hidden-sys.ts";
import { limitVariables } from "../host/limit-variables.ts";
import { openFilesLimit } from "../host/open-files.ts";
import { resourceLimit } from "../host/resource-limits.ts";
import type { SandboxFiles } from "../host/sandbox-files.ts";
import { PIPES_INSIDE, PROGRAMS_INSIDE, UPLOADS_INSIDE, VARIABLES } from "../inside/environment.ts";
import { ETC_PATHS } from "../inside/etc-files.ts";
import type { Mount } from "../inside/mounts.ts";
import type { Limits } from "../interface/spec.ts";
import { INSTANCE, OWNER, SANDBOX } from "./containers.ts";
import type { EngineVersion } from "./engine-client.ts";

const MIB = 1024 * 1024;
const CPU_PERIOD = 100_000;

/** Returns the paths that are masked. Of `/sys`, the container's own control groups remain, read-only. */
const masked = () => [...HIDDEN_FILES, ...HIDDEN_DIRECTORIES, ...hiddenSys()];

export interface ContainerOptions {
  version: EngineVersion;
  image: string;
  /** Host uid and gid of its processes. */
  uid: number;
  limits: Limits;
  /** The processor cores to run on; null for all. */
  cores: readonly number[] | null;
  labels: { instance: string; owner: string; sandbox: string };
  files: SandboxFiles;
  /** Host directory of the generated files that all sandboxes share. */
  shared: string;
  /** Host directory of the generated files of this sandbox. */
  own: string;
  /** Path of the parent control group; null for the container engine's own. */
  group: string | null;
  /** The profile as JSON text, and the path of a file that contains it. */
  seccomp: { text: string; file: string };
}

/**
 * Returns the request that creates a container. Process 1 is the supervisor, which ends with the attached
 * stream.
 */
export function containerBody(options: ContainerOptions): object {
  const { image, uid, limits, labels, group, cores } = options;
  // A full /dev/shm leaves memory for processes, enough to delete files.
  const shareOfMemory = (part: number) => Math.max(MIB, Math.floor(limits.memoryBytes / part));
  return {
    Image: image,
    Entrypoint: supervisorCommand("ask"),
    Cmd: [],
    Env: Object.entries({ ...VARIABLES, ...limitVariables(limits) }).map(
      ([name, value]) => `${name}=${value}`,
    ),
    User: `${uid}:${uid}`,
    WorkingDir: "/",
    Hostname: "session",
    Labels: { [INSTANCE]: labels.instance, [OWNER]: labels.owner, [SANDBOX]: labels.sandbox },
    Healthcheck: { Test: ["NONE"] },
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: "none",
      IpcMode: "private",
      CgroupnsMode: "private",
      ...(group === null ? {} : { CgroupParent: group }),
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: securityOptions(options),
      MaskedPaths: masked(),
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      PidsLimit: limits.pids,
      CpuPeriod: CPU_PERIOD,
      CpuQuota: Math.max(1000, Math.round(limits.cpus * CPU_PERIOD)),
      ...(cores === null ? {} : { CpusetCpus: cores.join(",") }),
      Ulimits: ulimits(limits),
      ShmSize: shareOfMemory(4),
      Mounts: mounts(options),
      RestartPolicy: { Name: "no" },
      LogConfig: { Type: "none", Config: {} },
      Init: false,
    },
  };
}

/**
 * Sets every limit, because Podman has defaults for missing ones. The control group's process limit takes
 * effect first; nproc counts all processes of the uid.
 */
function ulimits({ pids }: Limits): object[] {
  const values = {
    nofile: resourceLimit("nofile", openFilesLimit(pids)),
    nproc: resourceLimit("nproc", 2 * pids),
    core: resourceLimit("core", mayDumpCore() ? Number.POSITIVE_INFINITY : 0, 0),
  };
  return Object.entries(values).map(([Name, { soft, hard }]) => ({ Name, Soft: soft, Hard: hard }));
}

/**
 * Returns the security options. Docker takes the profile's text. Podman takes the path of a file, and masked
 * paths as an option.
 */
function securityOptions({ version, seccomp }: ContainerOptions): string[] {
  return version.name === "Podman"
    ? ["no-new-privileges", `seccomp=${seccomp.file}`, `mask=${masked().join(":")}`]
    : ["no-new-privileges", `seccomp=${seccomp.text}`];
}

function mounts({ files, shared, own }: ContainerOptions): object[] {
  const readOnly: Mount[] = [
    { host: files.gitConfig ?? `${shared}/etc/gitconfig`, inside: "/etc/gitconfig" },
    ...ETC_PATHS.map((path) => ({ host: `${shared}${path}`, inside: path })),
    ...["passwd", "group"].map((name) => ({ host: `${own}/${name}`, inside: `/etc/${name}` })),
    { host: `${shared}/programs`, inside: PROGRAMS_INSIDE },
    { host: files.pipes, inside: PIPES_INSIDE },
    { host: files.uploads, inside: UPLOADS_INSIDE },
    ...files.directories,
    ...files.files,
  ];
  return [
    ...files.writable.map((mount) => bind(mount, false)),
    ...readOnly.map((mount) => bind(mount, true)),
  ];
}

function bind({ host, inside }: Mount, readOnly: boolean): object {
  return {
    Type: "bind",
    Source: host,
    Target: inside,
    ReadOnly: readOnly,
    BindOptions: { Propagation: "rprivate" },
  };
}
