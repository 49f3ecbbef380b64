import type { ChildProcess } from "node:child_process";
import { openServiceManager } from "@berth/linux";
import type { Config } from "../config/config.ts";
import { plainHttpWarning } from "../config/tls-files.ts";
import type { ServiceFault } from "../features/service/service-routes.ts";
import { createLog } from "../log/log.ts";
import { createRedactor } from "../log/redactor.ts";
import { releaseMemoryWhenQuiet } from "../processes/release-memory.ts";
import { Parts } from "./parts.ts";
import { ServiceParts } from "./service-parts.ts";
import { ServiceReports } from "./service-reports.ts";

export interface Serving {
  /** Where the API listens: `http://127.0.0.1:PORT`. */
  url: string;
  /** Drains and stops everything, in an order that loses nothing that was acknowledged. Safe to call twice. */
  stop(): Promise<void>;
}

interface Opened {
  url: string;
  fault(): ServiceFault | null;
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
    const service = new ServiceParts(parts, config, { log, redactor });
    const { url, fault } = await openAll(service, draining.signal, runner);
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
async function openAll(
  service: ServiceParts,
  draining: AbortSignal,
  forked: ChildProcess | undefined,
): Promise<Opened> {
  const keys = await service.directories();
  const [store, runner, further, models] = await Promise.all([
    service.store(),
    service.runner(forked),
    service.furtherApis(),
    service.models(),
  ]);
  const db = await service.database(store, keys);
  const hub = await service.hub(db);
  const [blobs, traces] = [await service.blobs(), await service.traces()];
  const fault = () => (draining.aborted ? "draining" : runner.fault());
  const api = await service.api({ keys, db, hub, models, blobs, traces, runner, further, fault });
  await service.startProcesses(store, { runner, further, api, fault });
  await service.dataSweepers(db, blobs);
  return { url: api.url, fault };
}
