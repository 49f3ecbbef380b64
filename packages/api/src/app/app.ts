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
import { adminMount } from "../administration/admin-mount.ts";
import { mountInstallation } from "../administration/installation-routes.ts";
import { mountMembers } from "../administration/member-routes.ts";
import { mountAgents } from "../features/agents/agent-routes.ts";
import type { AvailableModels } from "../features/agents/available-models.ts";
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
import { mountMetrics, mountProbes, type ServiceFault } from "../features/health/probe-routes.ts";
import { mountMemories } from "../features/memories/memory-routes.ts";
import { mountMemoryStores } from "../features/memory-stores/memory-store-routes.ts";
import { mountMemoryVersions } from "../features/memory-versions/memory-version-routes.ts";
import { mountModels } from "../features/models/model-routes.ts";
import { mountPrincipals } from "../features/principals/principal-routes.ts";
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
import { createMetrics } from "../http/metrics.ts";
import { proxyList } from "../http/proxy-list.ts";
import { createCursors } from "../request/cursor.ts";
import type { Installation } from "./installation.ts";
import { measureInstallation } from "./measure-installation.ts";

/** Options of every HTTP service. */
export interface ServiceDeps {
  db: Database;
  log: Logger;
  /** The installation's key, 32 bytes, from which the keys of cursors and secrets are derived. */
  secretKey: Uint8Array;
  /** The previous key, needed until all secrets are encrypted with the new one. */
  formerSecretKey?: Uint8Array | null;
  /** Redactor of the log, which learns the secrets that this process decrypts. */
  redactor?: Redactor;
  /** Returns why the service is not ready, apart from its database; null when it is. Default: always null. */
  fault?: () => ServiceFault | null | Promise<ServiceFault | null>;
  /** Directory whose file system is measured. Default: none. */
  dataDir?: string;
  /** Registry of this process's metrics. Default: a new one. */
  registry?: Registry;
  /** Name of this process in metrics. Default: `api`. */
  processName?: string;
  /** Returns the metrics of the runner process; null when there is none. Default: no metrics. */
  runnerMetrics?: (() => Promise<object[]>) | null;
  /** Limits for organizations and users without values of their own. Default: none. */
  limits?: DefaultLimits;
  /** Days after which old data is deleted, for organizations without values of their own. Default: never. */
  retention?: RetentionDays;
  /** Seconds within which a host must have been seen to count as online. Default: 60. */
  hostGraceSeconds?: number;
  /** Id of the host whose settings those of the others are compared with. Default: the one seen last. */
  hostId?: string;
  /** Limits for each client address. Default: none. */
  addressLimits?: LimitValues;
  /** Counters of requests. Default: counters of this process alone. */
  rates?: RateGroups;
  /** Maximum bytes of a JSON body. */
  jsonLimit: number;
  /** Maximum bytes of an uploaded file. */
  uploadLimit: number;
  /** Whether the metrics need no token. Default: no. */
  metricsPublic?: "yes" | "no";
  /** Whether the metrics are served at an address of their own. Default: no. */
  metricsApart?: boolean;
  /** Whether each request is logged. Default: on. */
  accessLog?: "on" | "off";
  /** Addresses and networks of proxies whose forwarding headers are trusted. Default: none. */
  trustedProxies?: readonly string[];
  /** Public base URL of the service. Null when clients use the URL that they connect to. */
  publicUrl?: string | null;
  /** Mode of the console. Default: on. */
  console?: ConsoleMode;
  /** Identity provider for signing in to the console. Default: none. */
  oidc?: OidcSettings | null;
  /** Directory of the built console. Default: the output directory of its build. */
  consoleBundle?: string;
  /** Source of facts about the installation for its health report. Default: none. */
  installation?: Installation;
  /** Tracing. Default: none. */
  traces?: Traces;
  /** TLS certificate and key. Default: plain HTTP. */
  tls?: { cert: string; key: string } | undefined;
  /** Milliseconds without a request after which a stopping service closes a connection. Default: 250. */
  quietMs?: number;
}

export interface AppDeps extends ServiceDeps {
  hub: SessionHub;
  models: AvailableModels & PricedModels;
  blobs: BlobStore;
  /** Hosts of hosted repositories, with the port if it is not 443. */
  repositoryHosts: readonly string[];
  /** Hosts from which repositories may be cloned over plain HTTP, with the port if it is not 80. */
  gitHttpHosts: readonly string[];
  /** Hosts and networks with private addresses at which MCP servers may run. */
  egressAllowPrivate: readonly string[];
  /** Whether the sandbox engine runs images. */
  runsImages: boolean;
  /** Runtime classes that environments may choose. Null when the sandboxes are not pods. */
  runtimeClasses: readonly string[] | null;
  /** Maximum resources that environments may ask for. */
  ceilings: Ceilings;
}

const DEFAULT_GRACE_SECONDS = 60;

/**
 * Creates the app that serves only the metrics at an address of its own. It does not listen yet.
 *
 * @param main the app whose metrics they are.
 */
export function createMetricsApp(main: HttpApp, { metricsPublic }: Pick<AppDeps, "metricsPublic">): HttpApp {
  const app = createHttpApp(main);
  mountMetrics(app, { metricsPublic: metricsPublic === "yes" });
  return app;
}

/** Creates the app of a service without an API: only health and metrics. It does not listen yet. */
export function createHealthApp(deps: ServiceDeps): HttpApp {
  const { app, fault } = createServiceApp(deps);
  mountProbes(app, { db: deps.db, fault });
  mountMetrics(app, { metricsPublic: deps.metricsPublic === "yes" });
  return app;
}

/** Creates the app without any route. */
function createServiceApp(deps: ServiceDeps) {
  const { db, log, secretKey, jsonLimit, uploadLimit, console: mode = "on" } = deps;
  const formerKey = deps.formerSecretKey ?? null;
  const cursors = createCursors(derivedKey(secretKey, "list cursors"));
  // No redactor here: it holds a limited number of secrets, and stored responses would evict real ones.
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

/** Creates the complete HTTP service. It does not listen yet. */
export function createApp(deps: AppDeps): HttpApp {
  const { db, hub, log, models, blobs, secretKey } = deps;
  const formerKey = deps.formerSecretKey ?? null;
  const codeKey = userCodeKey(secretKey);
  const secrets = new SecretBox(secretKey, { onSecret: deps.redactor?.add, formerKey });
  const tokens = createTokenWatch(db.read, log);
  const { console: mode = "on", oidc = null } = deps;
  const { app, measure, fault, rates } = createServiceApp(deps);
  app.fastify.addHook("onClose", async () => tokens.close());

  mountProbes(app, { db, fault });
  if (deps.metricsApart !== true) mountMetrics(app, { metricsPublic: deps.metricsPublic === "yes" });
  const { publicUrl = null } = deps;
  mountDocs(app, publicUrl);
  mountWhoami(app);
  mountPrincipals(app);
  mountConsole(app, { mode, oidc, bundle: deps.consoleBundle });
  mountTokens(app);
  mountDeviceAuthorizations(app, {
    userCodeKey: codeKey,
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
  const administered = adminMount(app, {
    limits: deps.limits ?? { organization: {}, user: {} },
    retention: deps.retention ?? {},
    hostGraceSeconds: deps.hostGraceSeconds ?? DEFAULT_GRACE_SECONDS,
    hostId: deps.hostId ?? "",
    userCodeKey: codeKey,
  });
  mountMembers(administered);
  mountInstallation(administered, rates.codes);
  return app;
}
