import type { ChildProcess } from "node:child_process";
import type { ServiceFault } from "@berth/api/features";
import { openServiceManager } from "@berth/linux";
import { createLog, createRedactor } from "@berth/store/log";
import type { DatabaseKeys } from "@berth/store/secrets";
import type { Config } from "../config/config.ts";
import type { Role } from "../config/roles.ts";
import { plainHttpWarning } from "../config/tls-files.ts";
import { releaseMemoryWhenQuiet } from "../processes/release-memory.ts";
import type { Store } from "./open-store.ts";
import { Parts } from "./parts.ts";
import { ServiceParts } from "./service-parts.ts";
import { ServiceReports } from "./service-reports.ts";

/** A service that is ready. */
export interface Serving {
  /** URL at which the service listens: `http://127.0.0.1:PORT`. */
  url: string;
  /** Drains and stops everything, in an order that loses nothing that was acknowledged. Idempotent. */
  stop(): Promise<void>;
}

interface Opened {
  url: string;
  fault(): ServiceFault | null;
}

/** Name of the process in lines of the log. */
const LOG_PARTS: Readonly<Record<Role, string>> = {
  all: "api",
  api: "api",
  runner: "supervisor",
  egress: "egress",
};

interface Start {
  /** Aborts when the service is asked to stop. */
  draining: AbortSignal;
  /** The process for sessions, if it was forked already. */
  forked: ChildProcess | undefined;
}

/**
 * Starts the service: the API in this process, the runner in a child process, and the
 * embedded PostgreSQL, or those of them that its role has. Resolves when it is ready. Rejects with one
 * sentence for the operator, or the signal's reason, after stopping everything again.
 * @param warnings Warnings about the settings, for the log.
 * @param runner Process of `forkRunner`, which loads concurrently. Default: one that is forked after the
 * settings have been checked.
 */
export async function serve(
  config: Config,
  signal?: AbortSignal,
  warnings: readonly string[] = [],
  runner?: ChildProcess,
): Promise<Serving> {
  const redactor = createRedactor();
  const log = createLog(config.logLevel, redactor).child({
    part: LOG_PARTS[config.role],
  });
  for (const warning of [...warnings, plainHttpWarning(config)]) if (warning !== null) log.warn(warning);
  const parts = new Parts(log, signal);
  const draining = new AbortController();
  const releasing = releaseMemoryWhenQuiet();
  const reports = new ServiceReports(openServiceManager());
  try {
    const service = new ServiceParts(parts, config, { log, redactor });
    const { url, fault } = await ROLES[config.role](service, { draining: draining.signal, forked: runner });
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

/** Opens the parts of each role in the order of their dependencies. They close in reverse order. */
const ROLES: Readonly<Record<Role, (service: ServiceParts, start: Start) => Promise<Opened>>> = {
  async all(service, { draining, forked }) {
    const keys = await service.directories();
    const [store, runner, models] = await Promise.all([
      service.store(),
      service.runner(forked),
      service.models(),
    ]);
    const fault = () => (draining.aborted ? "draining" : runner.fault());
    const shared = await openShared(service, store, keys);
    await service.countServices(shared.db);
    runner.connect(store.address);
    const api = await service.api({ ...shared, models, runner, fault });
    await service.startRunner(store, runner);
    await service.dataSweepers(shared.db, shared.blobs);
    return { url: api.url, fault };
  },

  async api(service, { draining }) {
    const keys = await service.directories();
    const [store, models] = await Promise.all([service.store(), service.models()]);
    const fault = () => (draining.aborted ? "draining" : null);
    const shared = await openShared(service, store, keys);
    await service.presence(shared.db, models);
    await service.countServices(shared.db);
    const api = await service.api({ ...shared, models, runner: null, fault });
    await service.dataSweepers(shared.db, shared.blobs);
    return { url: api.url, fault };
  },

  async runner(service, { draining, forked }) {
    const keys = await service.directories();
    const [store, runner] = await Promise.all([service.store(), service.runner(forked)]);
    const fault = () => (draining.aborted ? "draining" : runner.fault());
    const db = await service.database(store, keys);
    await service.blobs(db);
    runner.connect(store.address);
    const { url } = await service.health({ keys, db, runner, fault });
    await service.startRunner(store, runner);
    return { url, fault };
  },

  async egress(service, { draining }) {
    const keys = await service.directories();
    const db = await service.database(await service.store(), keys);
    await service.egressGateway(keys, db);
    const fault = () => (draining.aborted ? "draining" : null);
    const { url } = await service.health({ keys, db, runner: null, fault });
    return { url, fault };
  },
};

/** Opens the parts of the API that use the database and the shared contents. */
async function openShared(service: ServiceParts, store: Store, keys: DatabaseKeys) {
  const db = await service.database(store, keys);
  const blobs = await service.blobs(db);
  const hub = await service.hub(db);
  const traces = await service.traces();
  return { keys, db, hub, blobs, traces };
}
