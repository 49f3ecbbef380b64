import type { Cluster } from "./cluster.ts";
import type { Placer } from "./placer.ts";
import type { PodSettings } from "./pod-body.ts";
import type { PodDisks } from "./pod-disks.ts";
import type { PodNetwork } from "./pod-network.ts";
import type { WaitTimes } from "./pod-start.ts";

/** The parts of the engine that a sandbox uses. */
export interface PodHost {
  cluster: Cluster;
  placer: Placer;
  disks: PodDisks;
  network: PodNetwork;
  instance: string;
  owner: string;
  /** Directory of the files that the engine generates for all its sandboxes. */
  directory: string;
  /** Digest of the files in it that every pod receives. */
  shared: string;
  defaultImage: string;
  serverImage: string;
  imagePullPolicy: string;
  settings: PodSettings;
  /** Maximum waiting times of pods. */
  times: WaitTimes;
  /** Runtime classes that a spec may name. */
  runtimeClasses: readonly string[];
  /** Strategic merge patch of every pod; null for none. */
  patch: object | null;
  log(line: object): void;
}
