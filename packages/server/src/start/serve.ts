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
import { installationId } from "./installation-id.ts";
import { lockDataDirectory } from "./lock-data-directory.ts";
import { openModels } from "./open-models.ts";
import { openStore } from "./open-store.ts";
import { isOwnDatabase } from "./own-database.ts";
import { superviseRunner } from "./supervise-runner.ts";
import { type Sweep, type Sweeper, startSweeper } from "./sweeper.ts";

export interface Serving {
  /** Where the API listens: `http://127.0.0.1:PORT`. */
  url: string;
  /** Drains and stops everything, in an order that loses nothing that was acknowledged. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the whole service: the API in this process, the runner in a child process, the embedded PostgreSQL. Resolves when it
 * is ready. Rejects with one sentence for the operator, after stopping everything again.
 */
export async function serve(config: Config): Promise<Serving> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const release = await lockDataDirectory(config.dataDir);
  installationId(config.dataDir);
  const redactor = createRedactor();
  const log = createLog(config.logLevel, redactor).child({ part: "api" });
  const runner = superviseRunner(log);
  // In the order in which they are called: the database stops after all that use it, and the lock is released last.
  const stops: Array<() => Promise<void>> = [() => runner.stop(), async () => release()];
  try {
    const [store, models] = await Promise.all([openStore(config, log), openModels(config, log)]);
    stops.splice(1, 0, () => store.stop());
    const db = openDatabase({ ...store.address, log });
    stops.unshift(() => db.close());
    const hub = await openSessionHub({ db, log });
    stops.unshift(() => hub.close());
    const blobs = await openDiskBlobs(blobDirectory(config));
    const api = await startApi({ ...apiSettings(config), db, hub, log, redactor, models, blobs });
    stops.unshift(() => api.close());
    await runner.start(config, store.address);
    const sweeper = await startFileSweeper(db, blobs, config.dataDir, log);
    stops.unshift(() => sweeper.close());
    return { url: api.url, stop: runOnce(() => stopAll(stops, log)) };
  } catch (error) {
    await stopAll(stops, log);
    throw error;
  }
}

function apiSettings(config: Config) {
  const keyLocation = { file: config.secretKeyFile, dataDir: config.dataDir };
  return {
    ...config,
    secretKey: readSecretKey(keyLocation),
    formerSecretKey: readFormerKey(keyLocation),
    repositoryHosts: config.hostedProviders.map(({ host }) => host),
    runsImages: config.sandbox === "docker",
  };
}

/** Removes contents without a file, staged contents, and unfinished uploads. */
async function startFileSweeper(
  db: Database,
  blobs: BlobStore,
  dataDir: string,
  log: Logger,
): Promise<Sweeper> {
  const isOwn = await isOwnDatabase(db.write, dataDir, log);
  const staged = () => blobs.removeAbandoned();
  const uploads = () => sweepUploads(db, blobs);
  const contents: Sweep = (signal) => sweepContents(db, blobs, { signal });
  return startSweeper(isOwn ? { staged, uploads, contents } : { staged }, log);
}

/** Calls all in order, whether or not others fail. */
async function stopAll(stops: ReadonlyArray<() => Promise<void>>, log: Logger): Promise<void> {
  for (const stop of stops)
    await stop().catch((error) => log.error({ err: error }, "a component did not stop cleanly"));
}
