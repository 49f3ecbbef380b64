import { join } from "node:path";
import { createGuardedFetch } from "@berth/egress";
import type { Logger } from "pino";
import { openDiskBlobs } from "../blobs/disk-blobs.ts";
import { blobDirectory, type Config } from "../config/config.ts";
import type { DatabaseAddress } from "../db/connection.ts";
import { openDatabase } from "../db/pool.ts";
import type { Redactor } from "../log/redactor.ts";
import { openSessionHub } from "../notify/session-hub.ts";
import { sweepDisks } from "../runs/disks/sweep-disks.ts";
import { removeTrash } from "../runs/disks/trash.ts";
import { Worker } from "../runs/session/worker.ts";
import { SkillDirectories } from "../runs/skills/skill-directories.ts";
import { RepositorySnapshots, type SnapshotParts } from "../runs/snapshots/repository-snapshots.ts";
import { SecretBox } from "../secrets/secret-box.ts";
import { readFormerKey, readSecretKey } from "../secrets/secret-key.ts";
import { installationId } from "./installation-id.ts";
import { openEngine, openSystems, readCaCertificates } from "./open-engine.ts";
import { openModels } from "./open-models.ts";
import { isOwnDatabase } from "./own-database.ts";
import { ownHost, warnOfDifferences } from "./own-host.ts";
import { createCloner, createRefLister, repositoryVariables } from "./repositories.ts";
import { sweepSandboxes } from "./sweep-sandboxes.ts";
import { MINUTE_MS, type Sweep, type Sweeper, startSweeper } from "./sweeper.ts";

export interface Runner {
  /** Lets running turns reach a safe point, closes every sandbox, and closes the database connections. */
  close(): Promise<void>;
}

export interface RunnerOptions {
  config: Config;
  address: DatabaseAddress;
  log: Logger;
  redactor: Redactor;
}

type Parts = Awaited<ReturnType<typeof openParts>>;

const MEBIBYTE = 1024 * 1024;

/** Starts everything that runs sessions: models, the sandbox engine, and the worker that claims due sessions. */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { log } = options;
  const parts = await openParts(options);
  let worker: Worker | undefined;
  const isHeld = (sessionId: string) => worker?.holds(sessionId) ?? false;
  const sandboxes = () => sweepSandboxes(parts.engine, isHeld, log);
  const sandboxSweeper = startSweeper({ sandboxes }, log, MINUTE_MS);
  // Sandboxes of a dead runner may still use their disks, so they are closed before any disk is opened again.
  await sandboxSweeper.swept;
  await warnOfDifferences(parts.db.read, parts.host, log);
  worker = startWorker(options, parts);
  const sweepers = [sandboxSweeper, ...(await startSweepers(options, parts, isHeld))];
  return { close: () => closeAll(worker, sweepers, parts) };
}

async function openParts({ config, address, log }: RunnerOptions) {
  const db = openDatabase({ ...address, log });
  const installation = installationId(config.dataDir);
  const [hub, models, engine, blobs] = await Promise.all([
    openSessionHub({ db, log }),
    openModels(config, log),
    openEngine(config, installation, log),
    openDiskBlobs(blobDirectory(config)),
  ]);
  const skills = await SkillDirectories.open(join(config.dataDir, "skills"), blobs);
  const snapshots = await openSnapshots(config, { db, log, engine, host: installation });
  const host = ownHost(config, models.list());
  const disks = {
    directory: join(config.dataDir, "sessions"),
    home: host.place,
    hasSnapshot: snapshots.has,
  };
  return {
    db,
    hub,
    models,
    engine,
    blobs,
    skills,
    snapshots,
    host,
    disks,
    systems: openSystems(config, engine, log),
  };
}

async function openSnapshots(
  config: Config,
  { host, ...parts }: Pick<SnapshotParts, "db" | "log" | "engine"> & { host: string },
): Promise<RepositorySnapshots> {
  return await RepositorySnapshots.open({
    ...parts,
    directory: { path: join(config.dataDir, "repositories"), host },
    // Container engines cannot mount snapshots.
    maxBytes: config.sandbox === "docker" ? 0 : config.snapshotsMegabytes * MEBIBYTE,
    maxIdleDays: config.snapshotsDays,
    listRefs: createRefLister(config, await readCaCertificates(config)),
    repositoryVariables: (repositories) => repositoryVariables(repositories, config.hostedProviders),
  });
}

function startWorker({ config, log, redactor }: RunnerOptions, parts: Parts): Worker {
  const { models, ...shared } = parts;
  const keyLocation = { file: config.secretKeyFile, dataDir: config.dataDir };
  return new Worker({
    ...shared,
    log,
    secrets: new SecretBox(readSecretKey(keyLocation), {
      onSecret: redactor.add,
      formerKey: readFormerKey(keyLocation),
    }),
    mcpFetch: createGuardedFetch({ allowPrivate: config.egressAllowPrivate }),
    sandboxIdleMs: config.sandboxIdleSeconds * 1_000,
    outputFileBytes: config.uploadLimit,
    reclaimMs: config.diskReclaimSeconds * 1_000,
    providers: config.hostedProviders.map(({ host, api, token_env }) => ({
      host,
      token_env,
      ...(api === null ? {} : { api }),
    })),
    model: (agent) => models.get(agent.model.id, { contextWindow: agent.model.effective_context_window }),
    repositoryVariables: (repositories) => repositoryVariables(repositories, config.hostedProviders),
    clone: createCloner(config.hostedProviders),
  });
}

/** Sweeps that compare files with the database run only if the data directory belongs to this database. */
async function startSweepers(
  { config, log }: RunnerOptions,
  { db, disks, skills, snapshots, systems }: Parts,
  isHeld: (sessionId: string) => boolean,
): Promise<Sweeper[]> {
  const isOwn = await isOwnDatabase(db.write, config.dataDir, log);
  const deleted: Sweep = (signal) => removeTrash(disks.directory, signal);
  const unnamed: Sweep = (signal) => sweepDisks(db, disks, { isHeld, signal });
  const layers: Sweep = async (signal) => systems?.layers.sweep(signal);
  const unpacked: Sweep = () => skills.sweep(db.write);
  const unused: Sweep = (signal) => snapshots.sweep(signal);
  return [
    startSweeper(isOwn ? { deleted, unnamed } : { deleted }, log, MINUTE_MS),
    startSweeper(isOwn ? { unpacked, snapshots: unused, layers } : { layers }, log),
  ];
}

async function closeAll(worker: Worker, sweepers: readonly Sweeper[], parts: Parts): Promise<void> {
  const { db, hub, engine, snapshots, systems } = parts;
  await Promise.all([worker.close(), snapshots.close()]);
  await Promise.all([systems?.layers.close(), systems?.rootFilesystem.close()]);
  await Promise.all(sweepers.map((sweeper) => sweeper.close()));
  await engine.close();
  await hub.close();
  await db.close();
}
