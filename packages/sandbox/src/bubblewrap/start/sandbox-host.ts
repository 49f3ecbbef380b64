import type { NetworkNamespace } from "@berth/egress";
import type { SandboxFiles } from "../../inside/sandbox-files.ts";
import type { Cgroup, Cgroups } from "../cgroup/cgroups.ts";
import type { DiskImage } from "../disk-image/disk-image.ts";
import type { HostPrograms } from "../launch/host-programs.ts";
import type { PreparedSystem } from "../system-layers/system-mount.ts";

/** What a sandbox needs of its engine. */
export interface SandboxHost {
  programs: HostPrograms;
  /** What the engine has generated for all its sandboxes. */
  directory: string;
  cgroups: Cgroups;
  system: readonly string[];
  log(line: object): void;
  /** Called when the sandbox is gone; `whole` is false when something of it could not be taken away. */
  released(whole: boolean): void;
}

/** What was made for the sandbox before it starts. */
export interface Made {
  directory: string;
  /** The filesystem in a file that the writable places lie in, to be mounted; null where they are plain directories. */
  image: DiskImage | null;
  /** Null where the host's own is shown. */
  system: PreparedSystem | null;
  files: SandboxFiles;
  network: NetworkNamespace;
  cgroup: Cgroup;
}
