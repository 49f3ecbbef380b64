import { join } from "node:path";
import type { LimitValues, RetentionDays } from "@berth/store/names";
import type { GitCaFile, HostedProvider } from "./git-settings.ts";
import type { Toleration } from "./pod-settings.ts";

/** Organization and role of users who have a value in the claim. */
export interface OidcMapping {
  value: string;
  /** Name of an organization. */
  organization: string;
  role: "member" | "admin";
}

/**
 * All settings of the operator. `settings.ts` defines how each is given. They are read once, at the start; no
 * other code reads `BERTH_` variables.
 */
export interface Config {
  /** Directory of all state. */
  dataDir: string;
  /** Role of this service: everything, the API, sessions, or the network of sandboxes on other hosts. */
  role: "all" | "api" | "runner" | "egress";
  host: string;
  /** Port to listen on; 0 means any free port. */
  port: number;
  /** URL of the database; null means the embedded PostgreSQL. */
  databaseUrl: string | null;
  /** URL of the same database that bypasses the pooler of `databaseUrl`; null when there is no pooler. */
  databaseDirectUrl: string | null;
  /** Connections of each process to the database, without that for LISTEN; null: see `connectionsOf`. */
  databasePool: number | null;
  /** Directory of the PostgreSQL programs; null means those of the npm package. */
  pgBin: string | null;
  /** Whether a start brings the schema of the database up to date. */
  migrate: "on" | "off";
  /** File with the key of the secrets; null means `secret.key` in the data directory, created if missing. */
  secretKeyFile: string | null;
  /** Place of the contents of files: `disk` for the data directory, or a shared directory or bucket. */
  blobs: string;
  /** Disk space in MiB for copies of contents that are in a bucket. */
  blobCacheMb: number;
  /** File with the model registry; null means the models that are detected on this machine. */
  modelsFile: string | null;
  hostedProviders: HostedProvider[];
  /** CA certificates of other git servers. */
  gitCaFiles: GitCaFile[];
  /** Git servers that may be cloned from over HTTP, with the port if it is not 80. */
  gitHttpHosts: string[];
  /**
   * Hosts or networks with private addresses that MCP servers, receivers of webhooks, and sessions whose policy lists them, may use.
   */
  egressAllowPrivate: string[];
  /** Idle seconds after which a session's container and disk are removed. */
  diskReclaimSeconds: number;
  /** Time at which the files on sessions' disks are saved to the blob store. */
  workspaceSaves: "idle" | "off";
  /** Maximum MiB of the save of one session. */
  workspaceSaveMb: number;
  /** Disk limit in MiB of sessions whose environment sets none, where it can be enforced; 0: no limit. */
  sessionDiskMb: number;
  /** Maximum resources that an environment can request; null: see `readCeilings`. */
  maxCpus: number | null;
  maxMemoryMb: number | null;
  maxPids: number | null;
  maxDiskMb: number | null;
  /** Seconds for which a sandbox stays open after its last command. */
  sandboxIdleSeconds: number;
  maxKeepAliveSeconds: number;
  /** Maximum seconds until a preview of a port expires. */
  previewMaxSeconds: number;
  /** Seconds between two looks at a followed pull request while something happens, and of quiet before the agent is told. */
  followLookSeconds: number;
  followQuietSeconds: number;
  /** Whether programs may open performance counters of their own processes, where the kernel bounds them. */
  sandboxPerf: "auto" | "off";
  /** Seconds for which a turn waits for a model that is overloaded or rate-limited. */
  modelRetrySeconds: number;
  /** Maximum requests to the model in one turn of an agent that has no limit of its own. */
  maxModelRequests: number;
  /** Seconds for which sessions wait for the absent host of their disk; then another host takes them over. */
  hostGraceSeconds: number;
  /** Seconds to wait before each retry of a clone that failed for a temporary reason. */
  cloneRetrySeconds: number[];
  /** Disk space in MiB for mirrors and snapshots of repositories; 0 disables them. */
  snapshotsMegabytes: number;
  /** Days after which an unused mirror or snapshot is removed. */
  snapshotsDays: number;
  /** Maximum bytes of a JSON body. */
  jsonLimit: number;
  /** Maximum bytes of an uploaded file. */
  uploadLimit: number;
  sandbox: "bubblewrap" | "docker" | "kubernetes";
  /** Root filesystem of bubblewrap sandboxes: Berth's own Debian, or the host's. */
  rootfs: "debian" | "host";
  /** Directory of root filesystems that services of this machine share; null for one in the data directory. */
  systemDir: string | null;
  /** URL of the mirror of Debian from which root filesystems are built; null for that of the machine. */
  debianMirror: string | null;
  /** Unix socket of the container engine; null means Docker's, else Podman's. */
  dockerSocket: string | null;
  /** Image of containers whose environment sets none. */
  dockerImage: string;
  /** Kubeconfig of the cluster whose pods are the sandboxes; null: the service account of Berth's pod. */
  kubeconfig: string | null;
  /** Namespace of the pods; null means that of the kubeconfig, or of the pod in which Berth runs. */
  kubernetesNamespace: string | null;
  /** Image of pods whose environment sets none. */
  kubernetesImage: string;
  /** Storage class of the volumes of sessions; null means the cluster's default. */
  kubernetesStorageClass: string | null;
  /** Class of snapshots of these volumes; null disables snapshots. */
  kubernetesSnapshotClass: string | null;
  kubernetesNodeSelector: Record<string, string>;
  kubernetesTolerations: Toleration[];
  kubernetesRuntimeClass: string | null;
  /** Runtime classes that environments may choose instead. */
  kubernetesRuntimeClasses: string[];
  /** Pods in the warm pool, in all runners together; 0 disables the pool. */
  kubernetesWarmPods: number;
  /** Seconds for which a pod may wait for a node. */
  kubernetesScheduleSeconds: number;
  /** Seconds for which a pod may wait on its node for its images and its volume. */
  kubernetesPullSeconds: number;
  /** Way in which connections in pods reach the egress gateway. */
  kubernetesEgress: "routes" | "proxy";
  /** Image, which includes Berth, of the containers that send a pod's connections to the gateway. */
  kubernetesEgressImage: string;
  /** File with a strategic merge patch for every pod, in YAML or JSON; null for none. */
  kubernetesPodPatch: string | null;
  /** Registry for npm packages of environments; null means the public one. */
  npmRegistry: string | null;
  /** File with sources of runtimes, which replace Berth's own for the runtimes that it names; null for none. */
  runtimesFile: string | null;
  /** Index for pip packages of environments; null means PyPI. */
  pipIndex: string | null;
  /** PEM files of the service's certificate and of its private key; null means plain HTTP. */
  tlsCert: string | null;
  tlsKey: string | null;
  /** Addresses and networks of proxies whose headers identify the client of a request. */
  trustedProxies: string[];
  /** URL at which clients reach the service; null means the address at which it listens. */
  publicUrl: string | null;
  /** Address at which runners on other machines connect to this API process for previews; null: none do. */
  previewAddress: string | null;
  /** Origin of previews, with `*` as the first label of its host; null: names below `localhost`. */
  previewUrl: string | null;
  /** Whether there is a console. `plain-http` permits sign-in over unencrypted connections as well. */
  console: "on" | "off" | "plain-http";
  /** Identity provider of the console; null for none. See `oidcOf`. */
  oidcIssuer: string | null;
  oidcClientId: string | null;
  oidcClientSecretFile: string | null;
  oidcScopes: string[];
  /** Claim that determines organization and role, through the mapping. */
  oidcClaim: string;
  oidcMapping: OidcMapping[];
  /** Proxies through which the service reaches the internet; the URLs may contain passwords. */
  httpsProxy: string | null;
  httpProxy: string | null;
  /** SMTP relay for mails of webhooks, whose URL may contain a password, and their sender's address. */
  smtpUrl: string | null;
  smtpFrom: string | null;
  /** Hosts that are reached without a proxy. */
  noProxy: string[];
  /** Limits of each organization, and of each user or service account, unless it has its own. */
  organizationLimits: LimitValues;
  userLimits: LimitValues;
  /** Days for which organizations keep old objects, unless they have their own. */
  retention: RetentionDays;
  addressLimits: LimitValues;
  /** Separate address and port of `/metrics`; null means those of the service. */
  metricsAddress: string | null;
  /** Address and port for the health and metrics of a service without an API. */
  runnerAddress: string;
  /** Address and port at which the egress gateway accepts tunnels of sandboxes on other hosts. */
  egressAddress: string;
  /** Host and port at which sandboxes on other hosts reach the egress gateway; null for no such sandboxes. */
  egressGateway: string | null;
  /** Whether `/metrics` needs no token. */
  metricsPublic: "yes" | "no";
  /** Whether the log has a line for each request. */
  accessLog: "on" | "off";
  logLevel: "debug" | "info" | "warn" | "error" | "silent";
}

/** Returns the directory of Berth's root filesystems. */
export function systemDirectory({ dataDir, systemDir }: Config): string {
  return systemDir ?? join(dataDir, "rootfs");
}

/** Returns the directory of the layers that environments add to the root filesystem. */
export function layerDirectory({ dataDir }: Config): string {
  return join(dataDir, "layers");
}

/** Returns the directory of the runtimes that environments choose. */
export function runtimeDirectory({ dataDir }: Config): string {
  return join(dataDir, "runtimes");
}
