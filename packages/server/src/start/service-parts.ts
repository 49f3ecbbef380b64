import type { ChildProcess } from "node:child_process";
import type { ModelRegistry } from "@berth/agent/models";
import type { ServiceFault } from "@berth/api/features";
import { createDirectory } from "@berth/linux";
import { apisSeen } from "@berth/runs/lease";
import { type BlobStore, openBlobs } from "@berth/store/blobs";
import { type Database, openDatabase } from "@berth/store/db";
import { beatMs } from "@berth/store/leases";
import { ownRates, splitRates } from "@berth/store/limits";
import type { Redactor } from "@berth/store/log";
import { blobDirectory } from "@berth/store/names";
import { openSessionHub, type SessionHub } from "@berth/store/notify";
import { type DatabaseKeys, requireDatabaseKey } from "@berth/store/secrets";
import { openTraces, type Traces } from "@berth/store/traces";
import type { Logger } from "pino";
import { checkDataDirectory } from "../checks/check-data-directory.ts";
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { type Connections, connectionsOf } from "../config/connections.ts";
import { listenAddress } from "../config/listen-address.ts";
import type { Api } from "./api.ts";
import { apiSettings, serviceSettings, tlsOf } from "./api-settings.ts";
import { installationId } from "./installation-id.ts";
import { keysOf } from "./keys-of.ts";
import { lockDataDirectory } from "./lock-data-directory.ts";
import { NoticeRelay } from "./notice-relay.ts";
import { openModels } from "./open-models.ts";
import { openStore, type Store } from "./open-store.ts";
import { ownHost } from "./own-host.ts";
import type { Parts } from "./parts.ts";
import { startPresence } from "./presence.ts";
import { requireContents } from "./require-contents.ts";
import { settingFaults } from "./setting-faults.ts";
import { type SupervisedRunner, superviseRunner } from "./supervise-runner.ts";
import { startSweeper } from "./sweeper.ts";

/** Sources of a service's health and metrics. */
export interface HealthDeps {
  keys: DatabaseKeys;
  db: Database;
  runner: SupervisedRunner | null;
  fault(): ServiceFault | null;
}

/** Parts from which requests are served. */
export interface ApiDeps extends HealthDeps {
  hub: SessionHub;
  models: ModelRegistry;
  blobs: BlobStore;
  traces: Traces;
}

/** Connections of a process that serves no requests. */
const FEW: Connections = { max: 1, readers: 1 };

/** Opens the parts of a service, each once. Failures of what a setting names become ConfigErrors. */
export class ServiceParts {
  readonly #parts: Parts;
  readonly #config: Config;
  readonly #log: Logger;
  readonly #redactor: Redactor;
  #services = 1;
  readonly #rates = splitRates(ownRates(), () => this.#services);
  readonly #relay = new NoticeRelay();

  constructor(parts: Parts, config: Config, { log, redactor }: { log: Logger; redactor: Redactor }) {
    this.#parts = parts;
    this.#config = config;
    this.#log = log;
    this.#redactor = redactor;
  }

  /** Checks the settings, creates and locks the directories that they name, and reads the keys. */
  async directories(): Promise<DatabaseKeys> {
    const config = this.#config;
    const faults = await settingFaults(config);
    if (faults.length > 0) throw new ConfigError(faults);
    await asConfigError(() => createDirectory(config.dataDir));
    const contents = blobDirectory(config);
    if (contents !== null) await asConfigError(() => createDirectory(contents));
    await asConfigError(() => checkDataDirectory(config.dataDir));
    await this.#parts.open(
      () => lockDataDirectory(config.dataDir),
      (release) => release(),
    );
    const keys = await asConfigError(() => keysOf(config));
    installationId(config.dataDir);
    return keys;
  }

  /** Opens the database, and loads the modules of `loadLate` while its server starts. */
  async store(): Promise<Store> {
    const launched = Promise.withResolvers<void>();
    if (this.#config.databaseUrl !== null) launched.resolve();
    const opening = this.#parts.open(
      (signal) => openStore(this.#config, this.#log, signal, launched.resolve),
      (store) => store.stop(),
    );
    const loading = this.#parts.open(() => Promise.race([launched.promise, opening]).then(loadLate));
    const [store] = await Promise.all([opening, loading]);
    return store;
  }

  /**
   * Opens the process for sessions, which `startRunner` starts.
   * @param first The process, if already forked.
   */
  runner(first: ChildProcess | undefined): Promise<SupervisedRunner> {
    const supervision = { config: this.#config, relay: this.#relay, log: this.#log, first };
    return this.#parts.open(
      () => superviseRunner(supervision),
      (runner) => runner.stop(),
    );
  }

  models(): Promise<ModelRegistry> {
    return this.#parts.open(() => asConfigError(() => openModels(this.#config, this.#log)));
  }

  /** Opens connections to the database, and checks that its secrets have this key. */
  async database({ address }: Store, keys: DatabaseKeys): Promise<Database> {
    const connections = this.#config.role === "runner" ? FEW : connectionsOf(this.#config);
    const db = await this.#parts.open(
      () => openDatabase({ ...address, log: this.#log, ...connections }),
      (one) => one.close(),
    );
    await this.#parts.open(() => requireDatabaseKey(db.write, keys));
    return db;
  }

  hub(db: Database): Promise<SessionHub> {
    return this.#parts.open(
      () => openSessionHub({ db, log: this.#log, heardBy: "api", neighbours: this.#relay.neighbours }),
      (hub) => hub.close(),
    );
  }

  /** Opens the contents of files, and checks that they are those of the database. */
  async blobs(db: Database): Promise<BlobStore> {
    const blobs = await this.#parts.open(
      () => openBlobs(this.#config, db),
      (one) => one.close(),
    );
    await this.#parts.open(() => requireContents({ db: db.write, blobs, log: this.#log }, this.#config));
    return blobs;
  }

  traces(): Promise<Traces> {
    return this.#parts.open(
      () => openTraces(process.env, "api", this.#log),
      (one) => one.close(),
    );
  }

  async api({ keys, runner, ...parts }: ApiDeps): Promise<Api> {
    const { startApi, listenForLinks, PreviewLinks } = await loadLate();
    const { previewAddress } = this.#config;
    const previewLinks = new PreviewLinks({ ...parts, secretKey: keys.active });
    await this.#parts.open(
      () => listenForLinks(previewLinks, previewAddress === null ? null : listenAddress(previewAddress)),
      (listener) => listener.close(),
    );
    const tls = await asConfigError(() => tlsOf(this.#config));
    return await this.#parts.open(
      () =>
        startApi({
          ...apiSettings(this.#config, keys),
          ...{ ...parts, tls, log: this.#log, redactor: this.#redactor, rates: this.#rates },
          runnerMetrics: runner && (() => runner.metrics()),
          previewLinks,
        }),
      (api) => api.close(),
    );
  }

  /** Starts the health and metrics of a service without an API. */
  async health({ keys, db, runner, fault }: HealthDeps): Promise<Pick<Api, "url">> {
    const { startHealth } = await loadLate();
    const config = this.#config;
    const tls = await asConfigError(() => tlsOf(config));
    return await this.#parts.open(
      () =>
        startHealth({
          ...serviceSettings(config, keys),
          ...{
            tls,
            db,
            fault,
            log: this.#log,
            processName: config.role === "egress" ? "egress" : "supervisor",
          },
          address: listenAddress(config.runnerAddress),
          runnerMetrics: runner && (() => runner.metrics()),
        }),
      (one) => one.close(),
    );
  }

  /** Opens the gateway for tunnels of sandboxes on other hosts. */
  async egressGateway(keys: DatabaseKeys, db: Database): Promise<void> {
    const { openEgressGateway } = await import("./open-egress-gateway.ts");
    const parts = { config: this.#config, keys, db, log: this.#log, redactor: this.#redactor };
    await this.#parts.open(
      () => openEgressGateway(parts),
      (gateway) => gateway.close(),
    );
  }

  /**
   * Starts the runner. It stops before the API does: while its turns reach a safe point, the API still serves
   * followers and reports to load balancers that it is draining.
   */
  async startRunner({ address }: Store, runner: SupervisedRunner): Promise<void> {
    await this.#parts.open(
      () => runner.start(address),
      () => runner.stop(),
    );
  }

  /** Lists this service, which runs no sessions, as a host for other services. */
  async presence(db: Database, models: ModelRegistry): Promise<void> {
    const host = ownHost(this.#config, models.list());
    const sweeper = await this.#parts.open(
      () => startPresence(db, host, this.#log),
      (one) => one.close(),
    );
    await this.#parts.open(() => sweeper.swept);
  }

  /** Keeps count of the services that accept requests, since rates apply to all of them together. */
  async countServices(db: Database): Promise<void> {
    const graceMs = this.#config.hostGraceSeconds * 1_000;
    const count = async () => {
      this.#services = Math.max(1, await apisSeen(db.read, graceMs));
    };
    await this.#parts.open(
      () => startSweeper({ services: count }, this.#log, beatMs(graceMs)),
      (one) => one.close(),
    );
  }

  async dataSweepers(db: Database, blobs: BlobStore): Promise<void> {
    const { startDataSweepers } = await loadLate();
    await this.#parts.open(
      () => startDataSweepers({ db, blobs, log: this.#log }, this.#config),
      (sweepers) => Promise.all(sweepers.map((one) => one.close())),
    );
  }
}

/** Loads most modules of this process while other processes create or start the database. */
async function loadLate() {
  const { startApi, startHealth } = await import("./api.ts");
  const { startDataSweepers } = await import("./data-sweepers.ts");
  const { listenForLinks } = await import("./listen-for-links.ts");
  const { PreviewLinks } = await import("@berth/api/app");
  return { startApi, startHealth, startDataSweepers, listenForLinks, PreviewLinks };
}

async function asConfigError<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new ConfigError([(error as Error).message]);
  }
}
