import { mkdirSync } from "node:fs";
import { runOnce } from "@berth/concurrency";
import type { Logger } from "pino";
import { type BlobStore, openDiskBlobs } from "../blobs/disk-blobs.ts";
import { blobDirectory, type Config } from "../config/config.ts";
import { type Database, openDatabase } from "../db/pool.ts";
import { sweepContents, sweepUploads } from "../features/files/sweep-contents.ts";
import { createLog } from "../log/log.ts";
import { createRedactor } from "../log/redactor.ts";
import { openSessionHub } from "../notify/session-hub.ts";
import { readFormerKey, readSecretKey } from "../secrets/secret-key.ts";
import { startApi } from "./api.ts";
import { holdDataDir } from "./hold-data-dir.ts";
import { installationId } from "./installation-id.ts";
import { keepRunner } from "./keep-runner.ts";
import { keepSweeping, type Sweep, type Sweeping } from "./keep-sweeping.ts";
import { openModels } from "./open-models.ts";
import { openStore } from "./open-store.ts";
import { isOwnDatabase } from "./own-database.ts";

export interface Serving {
  /** Where the API listens: `http://127.0.0.1:PORT`. */
  url: string;
  /** Drains and ends everything, in the order in which nothing acknowledged is lost. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * The whole service in one process group: the API in this process, the runner in a child, the embedded PostgreSQL.
 * Resolves when it can serve. Rejects with one sentence for the operator, with everything ended again.
 */
export async function serve(config: Config): Promise<Serving> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const letGo = await holdDataDir(config.dataDir);
  installationId(config.dataDir);
  const redactor = createRedactor();
  const log = createLog(config.logLevel, redactor).child({ part: "api" });
  const runner = keepRunner(log);
  const ended: Array<() => Promise<void>> = [() => runner.stop(), async () => letGo()];
  try {
    const [store, models] = await Promise.all([openStore(config, log), openModels(config, log)]);
    ended.splice(1, 0, () => store.stop());
    const db = openDatabase({ ...store.address, log });
    ended.unshift(() => db.close());
    const hub = await openSessionHub({ db, log });
    ended.unshift(() => hub.close());
    const blobs = await openDiskBlobs(blobDirectory(config));
    const keyPlace = { file: config.secretKeyFile, dataDir: config.dataDir };
    const secretKey = readSecretKey(keyPlace);
    const formerSecretKey = readFormerKey(keyPlace);
    const repositoryHosts = config.hostedProviders.map(({ host }) => host);
    const api = await startApi({
      ...config,
      db,
      hub,
      log,
      redactor,
      models,
      blobs,
      secretKey,
      formerSecretKey,
      repositoryHosts,
      runsImages: config.sandbox === "docker",
    });
    ended.unshift(() => api.close());
    await runner.start(config, store.address);
    const sweeping = await sweepFiles(db, blobs, config.dataDir, log);
    ended.unshift(() => sweeping.close());
    return { url: api.url, stop: runOnce(() => stopAll(ended, log)) };
  } catch (error) {
    await stopAll(ended, log);
    throw error;
  }
}

/** Keeps away what no file is in need of: the contents, and what of them was staged or has arrived in parts. */
async function sweepFiles(db: Database, blobs: BlobStore, dataDir: string, log: Logger): Promise<Sweeping> {
  const isOwn = await isOwnDatabase(db.write, dataDir, log);
  const staged = () => blobs.removeAbandoned();
  const uploads = () => sweepUploads(db, blobs);
  const contents: Sweep = (signal) => sweepContents(db, blobs, { signal });
  return keepSweeping(isOwn ? { staged, uploads, contents } : { staged }, log);
}

/** The API stops taking requests, then the runner ends its turns, then the database goes. */
async function stopAll(parts: ReadonlyArray<() => Promise<void>>, log: Logger): Promise<void> {
  for (const stop of parts)
    await stop().catch((error) => log.error({ err: error }, "a part did not end in order"));
}
