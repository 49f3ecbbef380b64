import { join } from "node:path";
import type { ModelRegistry } from "@berth/agent/models";
import { orAborted } from "@berth/concurrency";
import { createGuardedFetch } from "@berth/egress";
import { removeTrash } from "@berth/linux";
import { RepositoryTokens, revokeTokens } from "@berth/runs/credentials";
import { sweepDisks, type VolumeSnapshotDeps, VolumeSnapshots, type WarmPool } from "@berth/runs/disks";
import { RepositorySnapshots, type SnapshotDeps, SnapshotMetrics } from "@berth/runs/repositories";
import { type MeasuredModels, SessionMetrics, Worker } from "@berth/runs/session";
import { SkillDirectories } from "@berth/runs/skills";
import { hostsCertificate, openTunnelParts } from "@berth/runs/tunnels";
import type { Sandbox, SandboxSpec } from "@berth/sandbox";
import { openBlobs } from "@berth/store/blobs";
import { addConnectionMetrics, type DatabaseAddress, openDatabase, readDatabaseId } from "@berth/store/db";
import { usedContents } from "@berth/store/files";
import { addProcessMetrics, type Redactor } from "@berth/store/log";
import { type Neighbours, openSessionHub } from "@berth/store/notify";
import { RuntimeCatalogue } from "@berth/store/runtimes";
import { SecretBox } from "@berth/store/secrets";
import { linkKey } from "@berth/store/session-log";
import { openTraces, type Traces } from "@berth/store/traces";
import type { Logger } from "pino";
import { Registry } from "prom-client";
import { readCeilings } from "../config/ceilings.ts";
import type { Config } from "../config/config.ts";
import { connectionsOf } from "../config/connections.ts";
import { defaultLimits } from "../config/default-limits.ts";
import { listenAddress } from "../config/listen-address.ts";
import { outgoingProxies } from "../config/outgoing-proxies.ts";
import { readCaCertificates } from "./ca-certificates.ts";
import { installationId } from "./installation-id.ts";
import { keysOf } from "./keys-of.ts";
import { openEngine, openRuntimes, openSystems } from "./open-engine.ts";
import { openModels } from "./open-models.ts";
import { openWarmPool } from "./open-warm-pool.ts";
import { isOwnDatabase } from "./own-database.ts";
import { ownHost, warnOfDifferences } from "./own-host.ts";
import { Parts } from "./parts.ts";
import { hasPodGateway } from "./pod-gateway.ts";
import {
  createAccounts,
  createCloner,
  createRefLister,
  guardedFetch,
  providersOf,
  repositoryVariables,
} from "./repositories.ts";
import { runtimeSettings } from "./runtime-settings.ts";
import { SandboxCheck } from "./sandbox-check.ts";
import { sweepSandboxes } from "./sweep-sandboxes.ts";
import { MINUTE_MS, type Sweep, type Sweeper, startSweeper } from "./sweeper.ts";

/** State that the runner reports with each sign of life. */
export interface RunnerState {
  /** Whether sandboxes can be opened; null before that is known. */
  opensSandboxes: boolean | null;
  /** Whether its recent requests to the database succeeded, so that its host is seen and its leases last. */
  isSeen: boolean;
}

/** The parts of a process that runs sessions. */
export interface Runner {
  state(): RunnerState;
  /** Resolves when it is known whether sandboxes can be opened. */
  readonly tried: Promise<void>;
  /** Returns the metrics in the form of `Registry.getMetricsAsJSON`. */
  metrics(): Promise<object[]>;
  /** Lets running turns reach a safe point, closes every sandbox, and closes the database connections. */
  close(): Promise<void>;
}

export interface RunnerOptions {
  config: Config;
  /** Address of the database. Parts that need no database are opened before it resolves. */
  address: Promise<DatabaseAddress>;
  /** Resolves when sessions may be run. `crashed` has the pids of earlier processes that crashed. */
  asked: Promise<{ crashed: readonly number[] }>;
  log: Logger;
  redactor: Redactor;
  /** The other processes of this service. */
  neighbours: Neighbours;
}

type SharedDeps = Awaited<ReturnType<typeof openSharedParts>>;

/** Milliseconds between looks for tokens to revoke. */
const REVOCATION_MS = 5_000;
const MEBIBYTE = 1024 * 1024;
/** Milliseconds of silence after which other runners may have claimed this runner's sessions. */
const LEASE_MS = 15_000;

/**
 * Starts everything that runs sessions: models, the sandbox engine, and the worker that claims due sessions.
 * When the start fails, or its signal aborts, it closes everything again and rejects.
 */
export async function startRunner(options: RunnerOptions, signal?: AbortSignal): Promise<Runner> {
  const parts = new Parts(options.log, signal);
  try {
    const registry = new Registry();
    addProcessMetrics(registry, "runner");
    const { check, worker } = await openWorker(parts, options, registry);
    const maxSilentMs = Math.min(LEASE_MS, (options.config.hostGraceSeconds * 1_000) / 2);
    return {
      state: () => ({ opensSandboxes: check.works, isSeen: worker.silentMs < maxSilentMs }),
      tried: check.tried,
      metrics: () => registry.getMetricsAsJSON(),
      close: () => parts.close(),
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

async function openWorker(
  parts: Parts,
  options: RunnerOptions,
  registry: Registry,
): Promise<{ check: SandboxCheck; worker: Worker }> {
  const { log } = options;
  const traces = await parts.open(
    () => openTraces(process.env, "runner", log),
    (one) => one.close(),
  );
  const shared = await openSharedParts(parts, options, registry);
  const metrics = new SessionMetrics(registry, measuredModels(shared.models));
  addConnectionMetrics(registry, shared.db.connections, "runner");
  let working: Worker | undefined;
  const isHeld = (sessionId: string) => working?.holds(sessionId) ?? false;
  const sandboxes = () => sweepSandboxes(shared.engine, shared.db.write, isHeld, log);
  const sweeper = await parts.open(
    () => startSweeper({ sandboxes }, log, MINUTE_MS),
    (one) => one.close(),
  );
  // Sandboxes of a dead runner may still use their disks, so they are closed before any disk is opened again.
  await parts.open(() => sweeper.swept);
  await warnOfDifferences(shared.db.read, shared.host, log);
  const check = await parts.open(
    () => new SandboxCheck(shared.engine, join(options.config.dataDir, "sandbox-check"), log),
    (one) => one.close(),
  );
  const { crashed } = await parts.open((signal) => orAborted(options.asked, signal));
  const pool = await parts.open(
    () => openWarmPool(options.config, shared, log),
    (one) => one?.close(),
  );
  metrics.watchPool(() => pool?.ready ?? 0);
  const open = (spec: SandboxSpec) => (pool === null ? check.open(spec) : openBesidePool(pool, check, spec));
  const engine = { ...shared.engine, open };
  const worker = await parts.open(
    () => startWorker(options, { ...shared, engine, metrics, traces, crashed, ...(pool && { pool }) }),
    (one) => one.close(),
  );
  working = worker;
  await parts.open(
    () => startSweepers(options, shared, isHeld),
    (sweepers) => Promise.all(sweepers.map((one) => one.close())),
  );
  // The check runs last: no request waits for it, and it costs a tenth of the start's CPU time.
  check.check();
  return { check, worker };
}

/**
 * Opens a session's sandbox before those of the pool. A session that waits for its image already has its
 * place, so the pool does not wait for it.
 */
async function openBesidePool(pool: WarmPool, check: SandboxCheck, spec: SandboxSpec): Promise<Sandbox> {
  const { onWaiting } = spec;
  return await pool.before((rests) => {
    const told: SandboxSpec["onWaiting"] =
      onWaiting &&
      ((wait) => {
        rests(wait?.for === "image");
        onWaiting(wait);
      });
    return check.open({ ...spec, makeRoom: () => pool.makeRoom(), ...(told && { onWaiting: told }) });
  });
}

/** Opens the parts that both the worker and the sweepers use. */
async function openSharedParts(
  parts: Parts,
  { config, address, log, redactor, neighbours }: RunnerOptions,
  registry: Registry,
) {
  const installation = installationId(config.dataDir);
  const secrets = openSecrets(config, redactor);
  const opening = parts.open(
    async (signal) => openDatabase({ ...(await orAborted(address, signal)), log, ...connectionsOf(config) }),
    (one) => one.close(),
  );
  // With an egress gateway, sandboxes see its certificates, whose authority is in the database.
  const trusted = async () =>
    hasPodGateway(config) ? [await hostsCertificate((await opening).write, secrets)] : [];
  const [models, engine, authorities, db] = await Promise.all([
    parts.open(() => openModels(config, log)),
    parts.open(
      async () => openEngine(config, { installation }, log, await trusted()),
      (one) => one.close(),
    ),
    parts.open(() => readCaCertificates(config)),
    opening,
  ]);
  const hub = await parts.open(
    () => openSessionHub({ db, log, heardBy: "runner", neighbours }),
    (one) => one.close(),
  );
  const blobs = await parts.open(
    () => openBlobs(config, db),
    (one) => one.close(),
  );
  const skills = await parts.open(() => SkillDirectories.open(join(config.dataDir, "skills"), blobs));
  const snapshotMetrics = new SnapshotMetrics(registry);
  const volumeSnapshots = await parts.open(() =>
    openVolumeSnapshots(config, authorities, { db, log, disks: engine.disks, metrics: snapshotMetrics }),
  );
  const snapshots = await parts.open(
    () =>
      openSnapshots(config, authorities, {
        ...{ db, log, engine, metrics: snapshotMetrics, host: installation },
        hasVolumeSnapshots: volumeSnapshots !== null,
      }),
    (one) => one.close(),
  );
  const systems = await parts.open(
    () => openSystems(config, engine, log),
    (one) => Promise.all([one?.layers.close(), one?.rootFilesystem.close()]),
  );
  const runtimes = await parts.open(
    () => openRuntimes(config, engine, log),
    (one) => one?.close(),
  );
  const sources = runtimeSettings(config);
  const runtimeVersions = sources === null ? null : new RuntimeCatalogue({ ...sources, db, log });
  const host = ownHost(config, models.list(), engine.disks?.place);
  const disks = {
    directory: join(config.dataDir, "sessions"),
    home: host.place,
    ...(engine.disks === undefined ? {} : { disks: engine.disks }),
    hasSnapshot: snapshots.has,
  };
  const providers = providersOf(config);
  const accounts = createAccounts(config, providers, authorities);
  const hosts = { db, secrets, fetch: guardedFetch(config, authorities), log };
  const tokens = new RepositoryTokens(hosts);
  const gateway = config.egressGateway;
  const tunnels =
    gateway === null
      ? {}
      : { tunnels: await parts.open(() => openTunnelParts(db.write, secrets, listenAddress(gateway))) };
  return {
    ...{
      db,
      hub,
      models,
      engine,
      blobs,
      skills,
      snapshots,
      host,
      disks,
      systems,
      runtimes,
      runtimeVersions,
      providers,
      accounts,
      tokens,
    },
    ...{ volumeSnapshots, secrets, hosts, ...tunnels },
  };
}

function openSecrets(config: Config, redactor: Redactor): SecretBox {
  const { active, former } = keysOf(config);
  return new SecretBox(active, { onSecret: redactor.add, formerKey: former });
}

async function openSnapshots(
  config: Config,
  authorities: readonly string[],
  {
    host,
    ...parts
  }: Pick<SnapshotDeps, "db" | "log" | "engine" | "metrics" | "hasVolumeSnapshots"> & {
    host: string;
  },
): Promise<RepositorySnapshots> {
  return await RepositorySnapshots.open({
    ...parts,
    directory: { path: join(config.dataDir, "repositories"), host },
    // Only bubblewrap can mount snapshots.
    maxBytes: config.sandbox !== "bubblewrap" ? 0 : config.snapshotsMegabytes * MEBIBYTE,
    maxIdleDays: config.snapshotsDays,
    listRefs: createRefLister(config, authorities),
    repositoryVariables: (repositories) => repositoryVariables(repositories, config.hostedProviders),
  });
}

async function openVolumeSnapshots(
  config: Config,
  authorities: readonly string[],
  parts: Pick<VolumeSnapshotDeps, "db" | "log" | "disks" | "metrics">,
): Promise<VolumeSnapshots | null> {
  return await VolumeSnapshots.open({
    ...parts,
    owner: await readDatabaseId(parts.db.write),
    maxIdleDays: config.snapshotsDays,
    listRefs: createRefLister(config, authorities),
    repositoryVariables: (repositories) => repositoryVariables(repositories, config.hostedProviders),
  });
}

function measuredModels(models: ModelRegistry): MeasuredModels {
  const ids = new Set(models.list().map(({ id }) => id));
  return { listed: (id) => ids.has(id), cost: models.cost };
}

function startWorker(
  { config, log }: RunnerOptions,
  parts: SharedDeps & {
    metrics: SessionMetrics;
    traces: Traces;
    crashed: readonly number[];
    pool?: WarmPool;
  },
): Worker {
  const { models, ...shared } = parts;
  return new Worker({
    ...shared,
    log,
    mcpFetch: createGuardedFetch({
      allowPrivate: config.egressAllowPrivate,
      proxies: outgoingProxies(config),
    }),
    sandboxIdleMs: config.sandboxIdleSeconds * 1_000,
    maxKeepAliveMs: config.maxKeepAliveSeconds * 1_000,
    linkKey: (linkId) => linkKey(keysOf(config).active, linkId),
    busyRetryMs: config.modelRetrySeconds * 1_000,
    maxRequests: config.maxModelRequests,
    ceilings: readCeilings(config),
    outputFileBytes: config.uploadLimit,
    limits: defaultLimits(config),
    reclaimMs: config.diskReclaimSeconds * 1_000,
    saveBytes: config.workspaceSaves === "off" ? null : config.workspaceSaveMb * MEBIBYTE,
    model: ({ model: { id, effective_context_window: contextWindow } }) =>
      models.get(id, contextWindow === undefined ? {} : { contextWindow }),
    repositoryVariables: (repositories) => repositoryVariables(repositories, config.hostedProviders),
    clone: createCloner(config.hostedProviders),
    cloneRetryMs: config.cloneRetrySeconds.map((seconds) => seconds * 1_000),
  });
}

/**
 * Starts the sweepers of the runner. Sweeps that compare files with the database run only if the data
 * directory belongs to this database.
 */
async function startSweepers(
  { config, log }: RunnerOptions,
  { db, blobs, disks, skills, snapshots, volumeSnapshots, systems, runtimes, hosts }: SharedDeps,
  isHeld: (sessionId: string) => boolean,
): Promise<Sweeper[]> {
  const isOwn = await isOwnDatabase(db.write, config.dataDir, log);
  const revocations: Sweep = (signal) => revokeTokens(hosts, signal);
  const deleted: Sweep = (signal) => removeTrash(disks.directory, signal);
  const unnamed: Sweep = (signal) => sweepDisks(db, disks, { isHeld, signal });
  const layers: Sweep = async (signal) => systems?.layers.sweep(signal);
  const unusedRuntimes: Sweep = async (signal) => runtimes?.sweep(signal);
  const unpacked: Sweep = () => skills.sweep(db.write);
  const copies: Sweep = () => blobs.removeCopies((names) => usedContents(db.write, names));
  const unused: Sweep = (signal) => snapshots.sweep(signal);
  const volumes: Sweep = async (signal) => volumeSnapshots?.sweep(signal);
  return [
    startSweeper({ revocations }, log, REVOCATION_MS),
    startSweeper(isOwn ? { deleted, unnamed } : { deleted }, log, MINUTE_MS),
    startSweeper(
      {
        ...(isOwn && { unpacked, copies, snapshots: unused }),
        ...{ volumes, layers, runtimes: unusedRuntimes },
      },
      log,
    ),
  ];
}
