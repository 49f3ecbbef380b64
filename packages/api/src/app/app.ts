import type { GuardedFetch } from "@berth/egress";
import { createTokenWatch } from "@berth/store/access";
import type { BlobStore } from "@berth/store/blobs";
import type { Database } from "@berth/store/db";
import { TurnPermits } from "@berth/store/leases";
import { AddressRates, OwnerLimits, ownRates, type RateGroups } from "@berth/store/limits";
import { addProcessMetrics, type Redactor } from "@berth/store/log";
import type { DefaultLimits, LimitValues, RetentionDays } from "@berth/store/names";
import type { SessionHub } from "@berth/store/notify";
import { type CatalogueDeps, RuntimeCatalogue } from "@berth/store/runtimes";
import { derivedKey, SecretBox } from "@berth/store/secrets";
import { NO_TRACES, type Traces } from "@berth/store/traces";
import type { Logger } from "pino";
import { Registry } from "prom-client";
import { adminMount } from "../administration/admin-mount.ts";
import { mountInstallation } from "../administration/installation-routes.ts";
import { mountMembers } from "../administration/member-routes.ts";
import { mountAgents } from "../features/agents/agent-routes.ts";
import type { AvailableModels } from "../features/agents/available-models.ts";
import { mountConnections } from "../features/connections/connection-routes.ts";
import { type ConsoleMode, mountConsole } from "../features/console/console-routes.ts";
import type { OidcSettings } from "../features/console/oidc/oidc-settings.ts";
import { mountDeployments } from "../features/deployments/deployment-routes.ts";
import type { DeploymentScheduler } from "../features/deployments/runs/deployment-scheduler.ts";
import { mountDeviceAuthorizations } from "../features/device-authorizations/device-authorization-routes.ts";
import { userCodeKey } from "../features/device-authorizations/device-codes.ts";
import { mountDocs } from "../features/docs/docs-routes.ts";
import { mountEnvironments } from "../features/environments/environment-routes.ts";
import type { Ceilings } from "../features/environments/require-allowed.ts";
import { mountFiles } from "../features/files/file-routes.ts";
import { Follows, type FollowTimes } from "../features/follows/follows.ts";
import { runFollows } from "../features/follows/run-follows.ts";
import { mountForward } from "../features/forward/forward-routes.ts";
import { mountInstallationHealth } from "../features/health/health-routes.ts";
import { mountMetrics, mountProbes, type ServiceFault } from "../features/health/probe-routes.ts";
import { mountMemories } from "../features/memories/memory-routes.ts";
import { mountMemoryStores } from "../features/memory-stores/memory-store-routes.ts";
import { mountMemoryVersions } from "../features/memory-versions/memory-version-routes.ts";
import { mountModels } from "../features/models/model-routes.ts";
import { PreviewAddresses } from "../features/previews/preview-addresses.ts";
import { PreviewLinks } from "../features/previews/preview-links.ts";
import { createPreviewMetrics } from "../features/previews/preview-metrics.ts";
import { PreviewHosts } from "../features/previews/serve-previews.ts";
import { mountPrincipals } from "../features/principals/principal-routes.ts";
import { mountRuntimes } from "../features/runtimes/runtime-routes.ts";
import { mountScim } from "../features/scim/scim-routes.ts";
import { mountConfirmationRules } from "../features/sessions/confirmation-rules/confirmation-rule-routes.ts";
import { mountEvents } from "../features/sessions/events/event-routes.ts";
import { mountPreviews } from "../features/sessions/previews/preview-routes.ts";
import type { HostedApi } from "../features/sessions/pull-requests/ask-for-pull-requests.ts";
import { mountPullRequests } from "../features/sessions/pull-requests/pull-request-routes.ts";
import { mountSessionResources } from "../features/sessions/resources/session-resource-routes.ts";
import { mountSessions } from "../features/sessions/session-routes.ts";
import { mountWorkspace } from "../features/sessions/workspace/workspace-routes.ts";
import { mountSharing } from "../features/sharing/sharing-routes.ts";
import { mountSkills } from "../features/skills/skill-routes.ts";
import { mountTokens } from "../features/tokens/token-routes.ts";
import { mountTriggers } from "../features/triggers/trigger-routes.ts";
import type { PricedModels } from "../features/usage/figures.ts";
import { mountUsage } from "../features/usage/usage-routes.ts";
import { mountVaultCredentials } from "../features/vault-credentials/vault-credential-routes.ts";
import { mountVaults } from "../features/vaults/vault-routes.ts";
import { Deliveries } from "../features/webhooks/delivery/deliveries.ts";
import { MailRelay, type MailSettings } from "../features/webhooks/delivery/mail-relay.ts";
import { mountWebhooks } from "../features/webhooks/webhook-routes.ts";
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
  /** Their APIs. Default: none, so they are asked for pull requests only by connections. */
  hostedApis?: readonly HostedApi[];
  /** Hosts from which repositories may be cloned over plain HTTP, with the port if it is not 80. */
  gitHttpHosts: readonly string[];
  /** Reaches git hosts: public addresses, and those that the operator allows. */
  gitHostFetch: GuardedFetch;
  /** SMTP relay for mails of webhooks. Default: null, no mail. */
  mail?: MailSettings | null;
  /** Hosts and networks with private addresses at which MCP servers and receivers of webhooks may run. */
  egressAllowPrivate: readonly string[];
  /** Whether the sandbox engine runs images. */
  runsImages: boolean;
  /** Runtime classes that environments may choose. Null when the sandboxes are not pods. */
  runtimeClasses: readonly string[] | null;
  /** Maximum resources that environments may ask for. */
  ceilings: Ceilings;
  /** Processes of an environment that sets no number, within the ceiling. */
  usualPids: number;
  /** Maximum `keep_alive_seconds` of environments. */
  maxKeepAliveSeconds: number;
  /** Origin of previews, with `*` as the first label of its host. Null: names below `localhost`. */
  previewUrl: string | null;
  /** Maximum seconds until a preview expires. */
  previewMaxSeconds: number;
  /** Connections to ports of sandboxes. Default: none can be made. */
  previewLinks?: PreviewLinks;
  /** How often followed pull requests are looked at. Default: every 20 seconds, and told after 60 quiet ones. */
  followTimes?: FollowTimes;
  /** Where the versions of runtimes come from. Null where sandboxes cannot have them. */
  runtimes: Pick<CatalogueDeps, "sources" | "fetch" | "npmRegistry"> | null;
}

const DEFAULT_GRACE_SECONDS = 60;
const FOLLOW_TIMES: FollowTimes = { lookMs: 20_000, quietMs: 60_000 };

/**
 * Creates the app that serves only the metrics at an address of its own. It does not listen yet.
 *
 * @param main the app whose metrics they are.
 */
export function createMetricsApp(main: HttpApp, { metricsPublic }: Pick<AppDeps, "metricsPublic">): HttpApp {
  const app = createHttpApp({ ...main, otherHosts: undefined });
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

/**
 * Creates the app without any route.
 *
 * @param hosts Returns the hosts of previews, whose requests are not for the app. Default: none.
 */
function createServiceApp(
  deps: ServiceDeps,
  hosts?: (clients: ClientAddresses, registry: Registry) => PreviewHosts,
) {
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
  const clients = new ClientAddresses(proxyList(deps.trustedProxies ?? []));
  const previews = hosts?.(clients, registry);
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
    clients,
    otherHosts: previews,
    addressRates: new AddressRates(deps.addressLimits, rates.addresses),
    tls: deps.tls,
    publicUrl: deps.publicUrl ?? null,
    acceptsSignIns: mode !== "off",
    traces: deps.traces ?? NO_TRACES,
    quietMs: deps.quietMs,
  });
  app.fastify.addHook("onClose", async () => idempotency.close());
  return { app, measure, fault, rates, previews };
}

/** The complete HTTP service, and what runs deployments. */
export type App = HttpApp & { deployments: DeploymentScheduler };

/** Creates the complete HTTP service. It does not listen yet, and runs no deployments. */
export function createApp(deps: AppDeps): App {
  const { db, hub, log, models, blobs, secretKey } = deps;
  const formerKey = deps.formerSecretKey ?? null;
  const codeKey = userCodeKey(secretKey);
  const secrets = new SecretBox(secretKey, { onSecret: deps.redactor?.add, formerKey });
  const tokens = createTokenWatch(db.read, log);
  const { console: mode = "on", oidc = null } = deps;
  const addresses = new PreviewAddresses({ secretKey, previewUrl: deps.previewUrl });
  const links = deps.previewLinks ?? new PreviewLinks({ db, hub, secretKey });
  const hosts = (clients: ClientAddresses, registry: Registry) =>
    new PreviewHosts({
      ...{ db, hub, log, addresses, links, clients },
      metrics: createPreviewMetrics(registry),
      isTls: deps.tls !== undefined,
    });
  const { app, measure, fault, rates, previews } = createServiceApp(deps, hosts);
  app.fastify.addHook("preClose", async () => previews?.close());
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
  const runtimes = deps.runtimes === null ? null : new RuntimeCatalogue({ ...deps.runtimes, db, log });
  mountEnvironments(app, { ...deps, runtimes });
  mountRuntimes(app, runtimes);
  const sessionDeps = {
    ...{ blobs, secrets, models, limits: app.limits },
    repositoryHosts: new Set(deps.repositoryHosts),
    gitHttpHosts: new Set(deps.gitHttpHosts),
  };
  mountSessions(app, { ...sessionDeps, hub });
  const deployments = mountDeployments(app, { ...sessionDeps, db, hub, log });
  app.fastify.addHook("onClose", async () => await deployments.close());
  mountSessionResources(app, { hub, secrets });
  mountWorkspace(app, hub);
  const asks = { secrets, fetch: deps.gitHostFetch, hostedApis: deps.hostedApis ?? [] };
  const pullRequests = mountPullRequests(app, { ...asks, hub });
  const times = deps.followTimes ?? FOLLOW_TIMES;
  const follows = new Follows({ ...asks, ...pullRequests, db, hub, limits: app.limits, log, times });
  runFollows(app.fastify, follows, { log, lookMs: times.lookMs });
  mountPreviews(app, { addresses, maxSeconds: deps.previewMaxSeconds, hub });
  mountConfirmationRules(app, hub);
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
  mountConnections(app, {
    repositoryHosts: new Set(deps.repositoryHosts),
    ...{ secrets, fetch: deps.gitHostFetch },
    gitHttpHosts: new Set(deps.gitHttpHosts),
  });
  const sending = {
    ...{ secrets, fetch: deps.gitHostFetch, relay: deps.mail == null ? null : new MailRelay(deps.mail) },
    consoleUrl: publicUrl === null || mode === "off" ? null : `${publicUrl}/console`,
  };
  const triggers = mountTriggers(app, {
    ...sessionDeps,
    ...sending,
    db,
    hub,
    log,
    egressAllowPrivate: deps.egressAllowPrivate,
  });
  app.fastify.addHook("onListen", async () => triggers.start());
  app.fastify.addHook("onClose", async () => await triggers.close());
  mountWebhooks(app, { ...sending, egressAllowPrivate: deps.egressAllowPrivate });
  const deliveries = new Deliveries({ ...sending, db, hub, log });
  app.fastify.addHook("onListen", async () => deliveries.start());
  app.fastify.addHook("onClose", async () => {
    await deliveries.close();
    await sending.relay?.close();
  });
  mountMemoryStores(app);
  mountMemories(app);
  mountMemoryVersions(app);
  mountSkills(app, blobs);
  mountSharing(app);
  mountForward(app);
  mountScim(app);
  const administered = adminMount(app, {
    limits: deps.limits ?? { organization: {}, user: {} },
    retention: deps.retention ?? {},
    hostGraceSeconds: deps.hostGraceSeconds ?? DEFAULT_GRACE_SECONDS,
    hostId: deps.hostId ?? "",
    userCodeKey: codeKey,
    secrets,
  });
  mountMembers(administered);
  mountInstallation(administered, rates.codes);
  return { ...app, deployments };
}
