import type { Cluster } from "./cluster.ts";
import type { Placer } from "./placer.ts";
import type { PodSettings } from "./pod-body.ts";
import type { PodDisks } from "./pod-disks.ts";
import type { PodNetwork } from "./pod-network.ts";
import type { WaitTimes } from "./pod-start.ts";

/** What a sandbox uses of its engine. */
export interface PodHost {
  cluster: Cluster;
  placer: Placer;
  disks: PodDisks;
  network: PodNetwork;
  instance: string;
  owner: string;
  /** Directory of the files that the engine generates for all its sandboxes. */
  directory: string;
  /** Digest of these files. */
  shared: string;
  defaultImage: string;
  serverImage: string;
  imagePullPolicy: string;
  settings: PodSettings;
  /** How long pods may wait. */
  times: WaitTimes;
  /** Those that a spec may name. */
  runtimeClasses: readonly string[];
  /** Strategic merge patch of every pod; null: none. */
  patch: object | null;
  log(line: object): void;
}
