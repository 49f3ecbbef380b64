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
import { RepositorySnapshots } from "../runs/snapshots/repository-snapshots.ts";
import { SecretBox } from "../secrets/secret-box.ts";
import { readFormerKey, readSecretKey } from "../secrets/secret-key.ts";
import { installationId } from "./installation-id.ts";
import { certificates, openEngine } from "./open-engine.ts";
import { openModels } from "./open-models.ts";
import { openSystems } from "./open-systems.ts";
import { isOwnDatabase } from "./own-database.ts";
import { clonerWith, refLister, repositoryVariables } from "./repositories.ts";
import { sweepSandboxes } from "./sweep-sandboxes.ts";
import { MINUTE_MS, type Sweep, startSweeper } from "./sweeper.ts";

export interface Runner {
  /** Lets running turns reach a safe point, closes every sandbox, and leaves the database. */
  close(): Promise<void>;
}

const MEBIBYTE = 1024 * 1024;

export interface RunnerOptions {
  config: Config;
  address: DatabaseAddress;
  log: Logger;
  redactor: Redactor;
}

/** The brain and the hands of an installation, wired: models, sandboxes and the worker that takes due sessions. */
export async function startRunner({ config, address, log, redactor }: RunnerOptions): Promise<Runner> {
  const keyPlace = { file: config.secretKeyFile, dataDir: config.dataDir };
  const db = openDatabase({ ...address, log });
  const instance = installationId(config.dataDir);
  const [hub, models, engine, blobs] = await Promise.all([
    openSessionHub({ db, log }),
    openModels(config, log),
    openEngine(config, instance, log),
    openDiskBlobs(blobDirectory(config)),
  ]);
  const skills = await SkillDirectories.open(join(config.dataDir, "skills"), blobs);
  const snapshots = await RepositorySnapshots.open({
    db,
    log,
    engine,
    directory: { path: join(config.dataDir, "repositories"), host: instance },
    // Container engines cannot mount snapshots.
    maxBytes: config.sandbox === "docker" ? 0 : config.templatesMegabytes * MEBIBYTE,
    maxIdleDays: config.templatesDays,
    listRefs: refLister(config, await certificates(config)),
    repositoryVariables: (repositories) => repositoryVariables(repositories, config.hostedProviders),
  });
  const disks = {
    directory: join(config.dataDir, "sessions"),
    host: instance,
    hasSnapshot: snapshots.has,
  };
  const systems = openSystems(config, engine, log);
  let holds = (_sessionId: string) => false;
  const left = () => sweepSandboxes(engine, (sessionId) => holds(sessionId), log);
  const sandboxes = startSweeper({ sandboxes: left }, log, MINUTE_MS);
  // A disk is opened again only when what had it open before is gone.
  await sandboxes.swept;
  const worker = new Worker({
    db,
    hub,
    log,
    blobs,
    engine,
    secrets: new SecretBox(readSecretKey(keyPlace), {
      onSecret: redactor.add,
      formerKey: readFormerKey(keyPlace),
    }),
    mcpFetch: createGuardedFetch({ allowPrivate: config.egressAllowPrivate }),
    disks,
    skills,
    systems,
    snapshots,
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
    clone: clonerWith(config.hostedProviders),
  });
  holds = (sessionId) => worker.holds(sessionId);
  const isOwn = await isOwnDatabase(db.write, config.dataDir, log);
  const deleted: Sweep = (signal) => removeTrash(disks.directory, signal);
  const unnamed: Sweep = (signal) => sweepDisks(db, disks, { isHeld: holds, signal });
  const unpacked = () => skills.sweep(db.write);
  const layers: Sweep = async (signal) => systems?.layers.sweep(signal);
  const sweeping = [
    sandboxes,
    startSweeper(isOwn ? { deleted, unnamed } : { deleted }, log, MINUTE_MS),
    startSweeper(
      isOwn ? { unpacked, snapshots: (signal: AbortSignal) => snapshots.sweep(signal), layers } : { layers },
      log,
    ),
  ];
  return {
    async close() {
      await Promise.all([worker.close(), snapshots.close()]);
      await Promise.all([systems?.layers.close(), systems?.tree.close()]);
      await Promise.all(sweeping.map((sweeps) => sweeps.close()));
      await engine.close();
      await hub.close();
      await db.close();
    },
  };
}
