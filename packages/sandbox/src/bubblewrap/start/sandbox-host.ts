import type { NetworkNamespace } from "@berth/egress";
import type { SandboxFiles } from "../../inside/sandbox-files.ts";
import type { Cgroup, Cgroups } from "../cgroup/cgroups.ts";
import type { DiskImage } from "../disk-image/disk-image.ts";
import type { HostPrograms } from "../launch/host-programs.ts";
import type { PreparedSystem } from "../system-layers/system-mount.ts";

/** What a sandbox uses of its engine. */
export interface SandboxHost {
  programs: HostPrograms;
  /** Directory of the files that the engine generates for all its sandboxes. */
  directory: string;
  cgroups: Cgroups;
  system: readonly string[];
  log(line: object): void;
  /** Called when the sandbox has been released; `whole` is false when something of it could not be. */
  released(whole: boolean): void;
}

/** What is made for a sandbox before it starts. */
export interface Made {
  directory: string;
  /** The image with the writable directories, to be mounted; null where they are plain directories. */
  image: DiskImage | null;
  /** Null where the sandbox shows the host's. */
  system: PreparedSystem | null;
  files: SandboxFiles;
  network: NetworkNamespace;
  cgroup: Cgroup;
}
