import { hardLimit } from "@berth/linux";
import { supervisorCommand } from "../commands/supervisor.ts";
import type { Place } from "../inside/disk.ts";
import { BUNDLE, PIPES_INSIDE, PROGRAMS_INSIDE, UPLOADS_INSIDE } from "../inside/paths.ts";
import type { SandboxFiles } from "../inside/sandbox-files.ts";
import { VARIABLES } from "../inside/variables.ts";
import type { Limits } from "../interface/spec.ts";
import type { EngineVersion } from "./engine-client.ts";
import { INSTANCE, OWNER, SANDBOX } from "./labels.ts";

const MIB = 1024 * 1024;
const CPU_PERIOD = 100_000;
const MAX_OPEN_FILES = 16_384;

/** Engines hide these parts of `/proc`; `/sys` is not in a sandbox at all. */
const MASKED = [
  "/proc/acpi",
  "/proc/asound",
  "/proc/interrupts",
  "/proc/kcore",
  "/proc/key-users",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/sys",
];

export interface ContainerParts {
  version: EngineVersion;
  image: string;
  /** Host uid and gid that all of it runs under. */
  uid: number;
  limits: Limits;
  labels: { instance: string; owner: string; sandbox: string };
  files: SandboxFiles;
  /** Host directory of generated files that all sandboxes share. */
  shared: string;
  /** Host directory of those that are this sandbox's own. */
  own: string;
  /** The profile as JSON, and the file that holds it. */
  seccomp: { text: string; file: string };
}

/** What the engine is asked to create. Process 1 is the supervisor, and ends when the attached stream does. */
export function containerBody(parts: ContainerParts): object {
  const { image, uid, limits, labels } = parts;
  // Both full leave a quarter for processes: enough to delete what fills them.
  const shareOfMemory = (part: number) => Math.max(MIB, Math.floor(limits.memoryBytes / part));
  return {
    Image: image,
    Entrypoint: supervisorCommand("ask"),
    Cmd: [],
    Env: Object.entries(VARIABLES).map(([name, value]) => `${name}=${value}`),
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
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: securityOptions(parts),
      MaskedPaths: MASKED,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      PidsLimit: limits.pids,
      CpuPeriod: CPU_PERIOD,
      CpuQuota: Math.max(1000, Math.round(limits.cpus * CPU_PERIOD)),
      Ulimits: ulimits(limits),
      ShmSize: shareOfMemory(4),
      Tmpfs: { "/tmp": `rw,exec,nosuid,nodev,mode=1777,size=${shareOfMemory(2)}` },
      Mounts: mounts(parts),
      RestartPolicy: { Name: "no" },
      LogConfig: { Type: "none", Config: {} },
      Init: false,
    },
  };
}

/** Podman sets its own for those that are not named. Processes are counted for the session's uid, and by its control group first. */
function ulimits({ pids }: Limits): object[] {
  const values = {
    nofile: Math.min(MAX_OPEN_FILES, hardLimit("Max open files")),
    nproc: Math.min(2 * pids, hardLimit("Max processes")),
    core: 0,
  };
  return Object.entries(values).map(([Name, value]) => ({ Name, Soft: value, Hard: value }));
}

/** Docker takes the profile's text and hidden paths as fields, Podman a file's name and an option. */
function securityOptions({ version, seccomp }: ContainerParts): string[] {
  return version.name === "Podman"
    ? ["no-new-privileges", `seccomp=${seccomp.file}`, `mask=${MASKED.join(":")}`]
    : ["no-new-privileges", `seccomp=${seccomp.text}`];
}

function mounts({ files, shared, own }: ContainerParts): object[] {
  const readOnly: Place[] = [
    ...["gitconfig", "hosts", "resolv.conf"].map((name) => ({
      host: `${shared}/etc/${name}`,
      inside: `/etc/${name}`,
    })),
    ...["passwd", "group"].map((name) => ({ host: `${own}/${name}`, inside: `/etc/${name}` })),
    { host: `${shared}/etc/ca-certificates.crt`, inside: BUNDLE },
    { host: `${shared}/programs`, inside: PROGRAMS_INSIDE },
    { host: files.pipes, inside: PIPES_INSIDE },
    { host: files.uploads, inside: UPLOADS_INSIDE },
    ...files.directories,
    ...files.files,
  ];
  return [
    ...files.writable.map((place) => bind(place, false)),
    ...readOnly.map((place) => bind(place, true)),
  ];
}

function bind({ host, inside }: Place, readOnly: boolean): object {
  return {
    Type: "bind",
    Source: host,
    Target: inside,
    ReadOnly: readOnly,
    BindOptions: { Propagation: "rprivate" },
  };
}
