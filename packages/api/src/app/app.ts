import { createTokenWatch } from "@berth/store/access";
import type { BlobStore } from "@berth/store/blobs";
import type { Database } from "@berth/store/db";
import { TurnPermits } from "@berth/store/leases";
import { AddressRates, OwnerLimits, ownRates, type RateGroups } from "@berth/store/limits";
import { addProcessMetrics, type Redactor } from "@berth/store/log";
import type { DefaultLimits, LimitValues, RetentionDays } from "@berth/store/names";
import type { SessionHub } from "@berth/store/notify";
import { derivedKey, SecretBox } from "@berth/store/secrets";
import { NO_TRACES, type Traces } from "@berth/store/traces";
import type { Logger } from "pino";
import { Registry } from "prom-client";
import { mountAdministration } from "../administration/admin-routes.ts";
import { mountAgents } from "../features/agents/agent-routes.ts";
import type { AvailableModels } from "../features/agents/resolve-agent.ts";
import { type ConsoleMode, mountConsole } from "../features/console/console-routes.ts";
import type { OidcSettings } from "../features/console/oidc/oidc-settings.ts";
import { mountDeviceAuthorizations } from "../features/device-authorizations/device-authorization-routes.ts";
import { userCodeKey } from "../features/device-authorizations/device-codes.ts";
import { mountDocs } from "../features/docs/docs-routes.ts";
import { mountEnvironments } from "../features/environments/environment-routes.ts";
import type { Ceilings } from "../features/environments/require-allowed.ts";
import { mountFiles } from "../features/files/file-routes.ts";
import { mountForward } from "../features/forward/forward-routes.ts";
import { mountInstallationHealth } from "../features/health/health-routes.ts";
import { mountMemories } from "../features/memories/memory-routes.ts";
import { mountMemoryStores } from "../features/memory-stores/memory-store-routes.ts";
import { mountMemoryVersions } from "../features/memory-versions/memory-version-routes.ts";
import { mountModels } from "../features/models/model-routes.ts";
import { mountPrincipals } from "../features/principals/principal-routes.ts";
import { mountHealth, mountMetrics, type ServiceFault } from "../features/service/service-routes.ts";
import { mountEvents } from "../features/sessions/events/event-routes.ts";
import { mountSessionResources } from "../features/sessions/resources/session-resource-routes.ts";
import { mountSessions } from "../features/sessions/session-routes.ts";
import { mountWorkspace } from "../features/sessions/workspace/workspace-routes.ts";
import { mountSkills } from "../features/skills/skill-routes.ts";
import { mountTokens } from "../features/tokens/token-routes.ts";
import type { PricedModels } from "../features/usage/figures.ts";
import { mountUsage } from "../features/usage/usage-routes.ts";
import { mountVaultCredentials } from "../features/vault-credentials/vault-credential-routes.ts";
import { mountVaults } from "../features/vaults/vault-routes.ts";
import { mountWhoami } from "../features/whoami/whoami-routes.ts";
import { ClientAddresses } from "../http/client-address.ts";
import { createHttpApp, type HttpApp } from "../http/http-app.ts";
import { createIdempotency } from "../http/idempotency.ts";
import { createMetrics, type RenderedMetrics } from "../http/metrics.ts";
import { proxyList } from "../http/proxy-list.ts";
import { createCursors } from "../request/cursor.ts";
import type { Installation } from "./installation.ts";
import { measureInstallation } from "./measure-installation.ts";

/** What every service listens with. */
export interface ServiceDeps {
  db: Database;
  log: Logger;
  /** The installation's key, 32 bytes. The keys of cursors and secrets are derived from it. */
  secretKey: Uint8Array;
  /** The previous key, until all secrets are rewrapped. */
  formerSecretKey?: Uint8Array | null;
  /** Removes the secrets that this process has opened from the log. */
  redactor?: Redactor;
  /** Why the service is not ready, apart from its database. Default: nothing is wrong. */
  fault?: () => ServiceFault | null | Promise<ServiceFault | null>;
  /** The directory whose file system is measured. Default: none. */
  dataDir?: string;
  /** What this process says of itself. Default: a registry of its own. */
  registry?: Registry;
  /** As metrics name this process. Default: `api`. */
  processName?: string;
  /** Metrics of the process that runs sessions. Null: there is none. Default: one that has none. */
  runnerMetrics?: (() => Promise<object[]>) | null;
  /** Metrics of further API processes. Default: none. */
  furtherMetrics?: () => Promise<object[][]>;
  /** How the metrics of the whole service are rendered, where this process does not know them. */
  renderMetrics?: (() => Promise<RenderedMetrics>) | undefined;
  /** Limits of each organization and user that has no own ones. Default: none. */
  limits?: DefaultLimits;
  /** For how many days what is old is kept, of each organization that has no own ones. Default: without end. */
  retention?: RetentionDays;
  /** A host that was seen within this time is there. Default: 60. */
  hostGraceSeconds?: number;
  /** The host whose settings those of others are compared with. Default: the one that was seen last. */
  hostId?: string;
  /** Of each client address. Default: none. */
  addressLimits?: LimitValues;
  /** What counts requests. Default: for this process alone. */
  rates?: RateGroups;
  /** Maximum bytes of a JSON body. */
  jsonLimit: number;
  /** Maximum bytes of an uploaded file. */
  uploadLimit: number;
  /** Default: no. */
  metricsPublic?: "yes" | "no";
  /** Whether the metrics have an address of their own. Default: no. */
  metricsApart?: boolean;
  /** Whether each request is logged. Default: on. */
  accessLog?: "on" | "off";
  /** Addresses and networks of proxies that say where a request comes from. Default: none. */
  trustedProxies?: readonly string[];
  /** Where clients find the service; null: where they found it. */
  publicUrl?: string | null;
  /** Default: on. */
  console?: ConsoleMode;
  /** The identity provider of the console. Default: none. */
  oidc?: OidcSettings | null;
  /** Directory of the built console. Default: where its build puts it. */
  consoleBundle?: string;
  /** What the service tells of its installation. Default: nothing. */
  installation?: Installation;
  /** Default: nothing is traced. */
  traces?: Traces;
  /** Default: plain HTTP. */
  tls?: { cert: string; key: string } | undefined;
  /** When the service stops, a connection stays open until nothing was asked on it for so long. Default: 250. */
  quietMs?: number;
}

export interface AppDeps extends ServiceDeps {
  hub: SessionHub;
  models: AvailableModels & PricedModels;
  blobs: BlobStore;
  /** Hosts of hosted repositories, with their port if it is not 443. */
  repositoryHosts: readonly string[];
  /** Hosts, with their port if it is not 80, from which repositories may be cloned over plain HTTP. */
  gitHttpHosts: readonly string[];
  /** Hosts and networks with private addresses that MCP servers may have. */
  egressAllowPrivate: readonly string[];
  /** Whether the sandbox engine runs images. */
  runsImages: boolean;
  /** The runtime classes that environments may choose; null: the sandboxes are no pods. */
  runtimeClasses: readonly string[] | null;
  /** The most that environments can ask for. */
  ceilings: Ceilings;
}

const DEFAULT_GRACE_SECONDS = 60;

/** What listens at an address of the metrics alone, not yet listening. @param main whose metrics they are. */
export function createMetricsApp(main: HttpApp, { metricsPublic }: Pick<AppDeps, "metricsPublic">): HttpApp {
  const app = createHttpApp(main);
  mountMetrics(app, { metricsPublic: metricsPublic === "yes" });
  return app;
}

/** The health and the metrics of a service without an API, and nothing else, not yet listening. */
export function createHealthApp(deps: ServiceDeps): HttpApp {
  const { app, fault } = createServiceApp(deps);
  mountHealth(app, { db: deps.db, fault });
  mountMetrics(app, { metricsPublic: deps.metricsPublic === "yes" });
  return app;
}

/** What has no route yet. */
function createServiceApp(deps: ServiceDeps) {
  const { db, log, secretKey, jsonLimit, uploadLimit, console: mode = "on" } = deps;
  const formerKey = deps.formerSecretKey ?? null;
  const cursors = createCursors(derivedKey(secretKey, "list cursors"));
  // Without the redactor: it holds a limited number of secrets, and stored responses would evict real ones.
  const idempotency = createIdempotency(db, new SecretBox(secretKey, { formerKey }));
  const { dataDir = null, registry = new Registry(), processName = "api", rates = ownRates() } = deps;
  const limits = new OwnerLimits(db.read, deps.limits, rates.owners);
  const permits = new TurnPermits(db, limits);
  const measure = () => measureInstallation({ db, permits, dataDir, log });
  const fault = deps.fault ?? (() => null);
  addProcessMetrics(registry, processName);
  const app = createHttpApp({
    db,
    log,
    cursors,
    metrics: createMetrics(
      {
        measure,
        process: processName,
        connections: db.connections,
        runner: deps.runnerMetrics === undefined ? async () => [] : deps.runnerMetrics,
        further: deps.furtherMetrics ?? (async () => []),
        render: deps.renderMetrics,
      },
      registry,
    ),
    accessLog: deps.accessLog ?? "on",
    idempotency,
    limits,
    jsonLimit,
    uploadLimit,
    clients: new ClientAddresses(proxyList(deps.trustedProxies ?? [])),
    addressRates: new AddressRates(deps.addressLimits, rates.addresses),
    tls: deps.tls,
    publicUrl: deps.publicUrl ?? null,
    acceptsSignIns: mode !== "off",
    traces: deps.traces ?? NO_TRACES,
    quietMs: deps.quietMs,
  });
  app.fastify.addHook("onClose", async () => idempotency.close());
  return { app, measure, fault, rates };
}

/** The complete HTTP service, not yet listening. */
export function createApp(deps: AppDeps): HttpApp {
  const { db, hub, log, models, blobs, secretKey } = deps;
  const formerKey = deps.formerSecretKey ?? null;
  const secrets = new SecretBox(secretKey, { onSecret: deps.redactor?.add, formerKey });
  const tokens = createTokenWatch(db.read, log);
  const { console: mode = "on", oidc = null } = deps;
  const { app, measure, fault, rates } = createServiceApp(deps);
  app.fastify.addHook("onClose", async () => tokens.close());

  mountHealth(app, { db, fault });
  if (deps.metricsApart !== true) mountMetrics(app, { metricsPublic: deps.metricsPublic === "yes" });
  const { publicUrl = null } = deps;
  mountDocs(app, publicUrl);
  mountWhoami(app);
  mountPrincipals(app);
  mountConsole(app, { mode, oidc, bundle: deps.consoleBundle });
  mountTokens(app);
  mountDeviceAuthorizations(app, {
    userCodeKey: userCodeKey(secretKey),
    publicUrl,
    hasConsole: mode !== "off",
    attempts: rates.codes,
  });
  mountAgents(app, { models, egressAllowPrivate: deps.egressAllowPrivate });
  mountModels(app, models);
  mountEnvironments(app, deps);
  mountSessions(app, {
    hub,
    models,
    blobs,
    limits: app.limits,
    secrets,
    repositoryHosts: new Set(deps.repositoryHosts),
    gitHttpHosts: new Set(deps.gitHttpHosts),
  });
  mountSessionResources(app, { hub, secrets });
  mountWorkspace(app, hub);
  mountEvents(app, { db, hub, tokens, blobs, limits: app.limits });
  mountUsage(app, models);
  mountInstallationHealth(app, {
    fault: async () => (await fault()) ?? (await deps.installation?.fault(db.read)) ?? null,
    measure,
    checks: async () => (await deps.installation?.checks(db.read, models)) ?? [],
    hosts: async () => (await deps.installation?.hosts(db.read)) ?? [],
  });
  mountFiles(app, blobs);
  mountVaults(app);
  mountVaultCredentials(app, secrets);
  mountMemoryStores(app);
  mountMemories(app);
  mountMemoryVersions(app);
  mountSkills(app, blobs);
  mountForward(app);
  mountAdministration(app, {
    attempts: rates.codes,
    settings: {
      limits: deps.limits ?? { organization: {}, user: {} },
      retention: deps.retention ?? {},
      hostGraceSeconds: deps.hostGraceSeconds ?? DEFAULT_GRACE_SECONDS,
      hostId: deps.hostId ?? "",
      userCodeKey: () => userCodeKey(secretKey),
    },
  });
  return app;
}
