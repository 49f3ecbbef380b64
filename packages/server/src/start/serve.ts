import type { ChildProcess } from "node:child_process";
import { createDirectory, openServiceManager } from "@berth/linux";
import type { Logger } from "pino";
import { openDiskBlobs } from "../blobs/disk-blobs.ts";
import { checkDataDirectory } from "../checks/check-data-directory.ts";
import { blobDirectory, type Config } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { plainHttpWarning } from "../config/tls-files.ts";
import { openDatabase } from "../db/pool.ts";
import { ownRates } from "../limits/request-rates.ts";
import { createLog } from "../log/log.ts";
import { createRedactor, type Redactor } from "../log/redactor.ts";
import { openSessionHub } from "../notify/session-hub.ts";
import { releaseMemoryWhenQuiet } from "../processes/release-memory.ts";
import { requireDatabaseKey } from "../secrets/database-key-store.ts";
import { openTraces } from "../traces/open-traces.ts";
import { apiSettings, tlsOf } from "./api-settings.ts";
import { FurtherApis } from "./further-apis.ts";
import { installationId } from "./installation-id.ts";
import { keysOf } from "./keys-of.ts";
import { lockDataDirectory } from "./lock-data-directory.ts";
import { NoticeRelay } from "./notice-relay.ts";
import { openModels } from "./open-models.ts";
import { openStore } from "./open-store.ts";
import { Parts } from "./parts.ts";
import { requireContents } from "./require-contents.ts";
import { ServiceReports } from "./service-reports.ts";
import { settingFaults } from "./setting-faults.ts";
import { superviseRunner } from "./supervise-runner.ts";

export interface Serving {
  /** Where the API listens: `http://127.0.0.1:PORT`. */
  url: string;
  /** Drains and stops everything, in an order that loses nothing that was acknowledged. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the whole service: the API in this process and further ones, the runner in a child process, the embedded PostgreSQL.
 * Resolves when it is ready. Rejects with one sentence for the operator, or with the reason of the signal, after stopping everything again.
 *
 * @param warnings about the settings, for the log.
 * @param runner of `forkRunner`, which loads beside this process. Default: one that is forked when the settings are examined.
 */
export async function serve(
  config: Config,
  signal?: AbortSignal,
  warnings: readonly string[] = [],
  runner?: ChildProcess,
): Promise<Serving> {
  const redactor = createRedactor();
  const log = createLog(config.logLevel, redactor).child({ part: "api" });
  for (const warning of [...warnings, plainHttpWarning(config)]) if (warning !== null) log.warn(warning);
  const parts = new Parts(log, signal);
  const draining = new AbortController();
  const releasing = releaseMemoryWhenQuiet();
  const reports = new ServiceReports(openServiceManager());
  try {
    const { url, fault } = await openParts(parts, config, {
      ...{ log, redactor, draining: draining.signal },
      forked: runner,
    });
    reports.ready(url, fault);
    return {
      url,
      stop() {
        draining.abort();
        releasing.close();
        reports.stopping();
        return parts.close().finally(() => reports.close());
      },
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** Opens the parts in the order in which they depend on each other; they close in the reverse one. */
async function openParts(
  parts: Parts,
  config: Config,
  {
    log,
    redactor,
    draining,
    forked,
  }: { log: Logger; redactor: Redactor; draining: AbortSignal; forked: ChildProcess | undefined },
): Promise<{ url: string; fault: () => string | null }> {
  const faults = await settingFaults(config);
  if (faults.length > 0) throw new ConfigError(faults);
  await ofSetting(() => createDirectory(config.dataDir));
  await ofSetting(() => createDirectory(blobDirectory(config)));
  await ofSetting(() => checkDataDirectory(config.dataDir));
  await parts.open(
    () => lockDataDirectory(config.dataDir),
    (release) => release(),
  );
  const keys = await ofSetting(() => keysOf(config));
  const tls = await ofSetting(() => tlsOf(config));
  installationId(config.dataDir);
  const rates = ownRates();
  const relay = new NoticeRelay();
  const launched = Promise.withResolvers<void>();
  const opening = parts.open(
    (signal) => openStore(config, log, signal, launched.resolve),
    (store) => store.stop(),
  );
  const [store, { startApi, startDataSweepers }, runner, further, models] = await Promise.all([
    opening,
    parts.open(() => Promise.race([launched.promise, opening]).then(loadLate)),
    parts.open(
      () => superviseRunner({ config, relay, log, first: forked }),
      (runner) => runner.stop(),
    ),
    parts.open(
      () => new FurtherApis(config.apiProcesses - 1, { rates, relay, log }),
      (further) => further.stop(),
    ),
    parts.open(() => ofSetting(() => openModels(config, log))),
  ]);
  const db = await parts.open(
    () => openDatabase({ ...store.address, log }),
    (db) => db.close(),
  );
  await parts.open(() => requireDatabaseKey(db.write, keys));
  await parts.open(() => requireContents(db.write, config, log));
  const hub = await parts.open(
    () => openSessionHub({ db, log, neighbours: relay.neighbours }),
    (hub) => hub.close(),
  );
  const blobs = await parts.open(() => openDiskBlobs(blobDirectory(config)));
  const traces = await parts.open(
    () => openTraces(process.env, "api", log),
    (one) => one.close(),
  );
  runner.connect(store.address);
  const fault = () => (draining.aborted ? "draining" : runner.fault());
  const api = await parts.open(
    () =>
      startApi({
        ...apiSettings(config, keys),
        tls,
        ...{ db, hub, log, redactor, models, blobs, traces, rates },
        runnerMetrics: () => runner.metrics(),
        furtherMetrics: () => further.metrics(),
        fault,
      }),
    // All stop to accept connections at the same time.
    (api) => Promise.all([api.close(), further.stop()]),
  );
  // While its turns reach a safe point, the API tells followers of them, and load balancers that it is draining.
  await parts.open(
    () =>
      Promise.all([
        runner.start(store.address),
        further.start(config, store.address, { server: api.server, renderMetrics: api.renderMetrics, fault }),
      ]),
    () => runner.stop(),
  );
  await parts.open(
    () => startDataSweepers({ db, blobs, log }, config),
    (sweepers) => Promise.all(sweepers.map((one) => one.close())),
  );
  return { url: api.url, fault };
}

/** Most of what this process loads, and all that loads the contract: while the server of the database, once launched, gets ready. */
async function loadLate() {
  const { startApi } = await import("./api.ts");
  const { startDataSweepers } = await import("./data-sweepers.ts");
  return { startApi, startDataSweepers };
}

/** What a setting names is wrong: a fault of the settings, like a wrong value. */
async function ofSetting<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new ConfigError([(error as Error).message]);
  }
}
