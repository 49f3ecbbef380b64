import { join } from "node:path";
import type { LimitValues, RetentionDays } from "@berth/store/names";
import type { GitCaFile, HostedProvider } from "./git-settings.ts";
import type { OidcMapping } from "./oidc.ts";
import type { Toleration } from "./pod-settings.ts";
import type { Role } from "./roles.ts";

/** All settings of the operator. `settings.ts` says how they are given. They are read once, at the start; no other code reads `BERTH_` variables. */
export interface Config {
  /** Directory of all state. */
  dataDir: string;
  /** What this service does: everything, or only the API, or only running sessions, or only the network of sandboxes elsewhere. */
  role: Role;
  host: string;
  /** 0: any free port. */
  port: number;
  /** How many processes serve the API. */
  apiProcesses: number;
  /** Null: the embedded PostgreSQL. */
  databaseUrl: string | null;
  /** The same database without the pooler that `databaseUrl` leads to; null: there is none. */
  databaseDirectUrl: string | null;
  /** Connections of each process to the database, besides the one that listens; null: see `connectionsOf`. */
  databasePool: number | null;
  /** Directory of the PostgreSQL programs; null: those of the npm package. */
  pgBin: string | null;
  /** Whether a start brings the schema of the database up to date. */
  migrate: "on" | "off";
  /** Null: `secret.key` in the data directory, created at the first start. */
  secretKeyFile: string | null;
  /** Where the contents of files are: `disk`, the data directory, or a directory or bucket that the services of one database share. */
  blobs: string;
  /** Disk space in MiB for copies of contents that are in a bucket. */
  blobCacheMb: number;
  /** Null: the models that are detected on this machine. */
  modelsFile: string | null;
  hostedProviders: HostedProvider[];
  /** CA certificates of other git servers. */
  gitCaFiles: GitCaFile[];
  /** Git servers that may be cloned from over HTTP, with the port if it is not 80. */
  gitHttpHosts: string[];
  /** Hosts or networks with private addresses that MCP servers, and sessions whose policy lists them, may use. */
  egressAllowPrivate: string[];
  /** Idle time after which a session's container and disk are removed. */
  diskReclaimSeconds: number;
  /** When what is on sessions' disks is saved to the blob store. */
  workspaceSaves: "idle" | "off";
  /** MiB that the save of one session takes at most. */
  workspaceSaveMb: number;
  /** Disk limit in MiB of sessions whose environment sets none, if the machine can enforce it; 0: no limit. */
  sessionDiskMb: number;
  /** The most that an environment can ask for; null: what the machine allows. See `readCeilings`. */
  maxCpus: number | null;
  maxMemoryMb: number | null;
  maxPids: number | null;
  maxDiskMb: number | null;
  /** How long a sandbox stays open after its last command. */
  sandboxIdleSeconds: number;
  /** How long a turn waits for a model that is overloaded or limits the rate. */
  modelRetrySeconds: number;
  /** Requests to the model in one turn of an agent that has no limit of its own. */
  maxModelRequests: number;
  /** How long sessions wait for the host that has their disk when it is not there; then another takes them over without it. */
  hostGraceSeconds: number;
  /** Seconds to wait before each retry of a clone that failed for a reason that passes. */
  cloneRetrySeconds: number[];
  /** Disk space in MiB for mirrors and snapshots of repositories; 0: none are created. */
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
  /** Unix socket of the container engine; null: Docker's, else Podman's. */
  dockerSocket: string | null;
  /** Image of containers whose environment sets none. */
  dockerImage: string;
  /** Kubeconfig of the cluster whose pods are the sandboxes; null: the account of the pod in which Berth runs. */
  kubeconfig: string | null;
  /** Null: that of the kubeconfig, or of the pod in which Berth runs. */
  kubernetesNamespace: string | null;
  /** Image of pods whose environment sets none. */
  kubernetesImage: string;
  /** Of the volumes of sessions; null: the cluster's default. */
  kubernetesStorageClass: string | null;
  /** Of snapshots of these volumes; null: none are taken. */
  kubernetesSnapshotClass: string | null;
  kubernetesNodeSelector: Record<string, string>;
  kubernetesTolerations: Toleration[];
  kubernetesRuntimeClass: string | null;
  /** Those that environments may choose in its place. */
  kubernetesRuntimeClasses: string[];
  /** Pods of the pool, in all runners together; 0: none. */
  kubernetesWarmPods: number;
  /** How long a pod may wait for a node. */
  kubernetesScheduleSeconds: number;
  /** How long a pod may wait on its node for its images and its volume. */
  kubernetesPullSeconds: number;
  /** How connections in pods come to the egress gateway. */
  kubernetesEgress: "routes" | "proxy";
  /** Image of the containers of pods that do it, with Berth in it. */
  kubernetesEgressImage: string;
  /** File with a strategic merge patch of every pod, in YAML or JSON; null: none. */
  kubernetesPodPatch: string | null;
  /** Registry for npm packages of environments; null: the public one. */
  npmRegistry: string | null;
  /** Index for pip packages of environments; null: PyPI. */
  pipIndex: string | null;
  /** PEM files of the service's certificate and of its private key; null: plain HTTP. */
  tlsCert: string | null;
  tlsKey: string | null;
  /** Addresses and networks of proxies that say where a request comes from. */
  trustedProxies: string[];
  /** Where clients find the service; null: where it listens. */
  publicUrl: string | null;
  /** Whether there is a console; `plain-http`: people may sign in to it also where others can read it on the way. */
  console: "on" | "off" | "plain-http";
  /** The identity provider of the console; null: there is none. See `oidcOf`. */
  oidcIssuer: string | null;
  oidcClientId: string | null;
  oidcClientSecretFile: string | null;
  oidcScopes: string[];
  /** The claim that decides about organization and role, by the mapping. */
  oidcClaim: string;
  oidcMapping: OidcMapping[];
  /** Proxies through which the service reaches the internet; the URLs may contain passwords. */
  httpsProxy: string | null;
  httpProxy: string | null;
  /** Hosts that it reaches without one. */
  noProxy: string[];
  /** What each organization, and each user or service account, may have and do, unless it has a limit of its own. */
  organizationLimits: LimitValues;
  userLimits: LimitValues;
  /** How long organizations keep what is old, unless they have days of their own. */
  retention: RetentionDays;
  addressLimits: LimitValues;
  /** Address and port of `/metrics` alone; null: those of the service. */
  metricsAddress: string | null;
  /** Address and port of the health and metrics of a service without an API. */
  runnerAddress: string;
  /** Address and port at which the egress of sandboxes on other hosts takes their tunnels. */
  egressAddress: string;
  /** Host and port at which sandboxes on other hosts find that; null: there are no such sandboxes. */
  egressGateway: string | null;
  /** Whether `/metrics` needs no token. */
  metricsPublic: "yes" | "no";
  /** Whether the log has a line for each request. */
  accessLog: "on" | "off";
  logLevel: "debug" | "info" | "warn" | "error" | "silent";
}

/** Directory of Berth's root filesystems. */
export function systemDirectory({ dataDir }: Config): string {
  return join(dataDir, "rootfs");
}

/** Directory of the layers that environments add to the root filesystem. */
export function layerDirectory({ dataDir }: Config): string {
  return join(dataDir, "layers");
}
