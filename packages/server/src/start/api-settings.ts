import type { DatabaseKeys } from "@berth/store/secrets";
import { readCeilings, usualPids } from "../config/ceilings.ts";
import type { Config } from "../config/config.ts";
import { defaultLimits } from "../config/default-limits.ts";
import { listenAddress } from "../config/listen-address.ts";
import { mailOf } from "../config/mail.ts";
import { oidcOf } from "../config/oidc.ts";
import { tlsFilesOf } from "../config/tls-files.ts";
import { readTlsPair } from "../config/tls-pair.ts";
import type { Tls } from "./api.ts";
import { readCaCertificates } from "./ca-certificates.ts";
import { describeInstallation } from "./describe-installation.ts";
import { hostedApis } from "./hosted-apis.ts";
import { installationId } from "./installation-id.ts";
import { guardedFetch } from "./repositories.ts";
import { runtimeSettings } from "./runtime-settings.ts";

/** Returns the options that every service derives from the settings in order to listen. */
export function serviceSettings(config: Config, { active, former }: DatabaseKeys) {
  return {
    ...config,
    secretKey: active,
    formerSecretKey: former,
    limits: defaultLimits(config),
  };
}

/**
 * Milliseconds that a connection must be quiet before a stopping service without sandboxes closes it. It
 * waits longer, since a busy balancer delays requests, and other services take over meanwhile.
 */
const QUIET_APART_MS = 2_000;

/** Returns the options of the API that follow from the settings. */
export function apiSettings(config: Config, keys: DatabaseKeys) {
  return {
    ...serviceSettings(config, keys),
    repositoryHosts: config.hostedProviders.map(({ host }) => host),
    hostedApis: hostedApis(config.hostedProviders),
    runsImages: config.sandbox !== "bubblewrap",
    runtimeClasses: config.sandbox === "kubernetes" ? config.kubernetesRuntimeClasses : null,
    ceilings: readCeilings(config),
    usualPids: usualPids(config),
    maxKeepAliveSeconds: config.maxKeepAliveSeconds,
    previewUrl: config.previewUrl,
    previewMaxSeconds: config.previewMaxSeconds,
    followTimes: {
      lookMs: config.followLookSeconds * 1_000,
      quietMs: config.followQuietSeconds * 1_000,
    },
    runtimes: runtimeSettings(config),
    gitHostFetch: guardedFetch(config, readCaCertificates(config)),
    ...(config.role === "api" ? { quietMs: QUIET_APART_MS } : {}),
    oidc: oidcOf(config),
    mail: mailOf(config),
    installation: describeInstallation(config),
    hostId: installationId(config.dataDir),
    metricsAddress: config.metricsAddress === null ? null : listenAddress(config.metricsAddress),
  };
}

/** Returns the certificate and its files, or null for plain HTTP. */
export function tlsOf(config: Config): Tls | null {
  const files = tlsFilesOf(config);
  return files === null ? null : { files, pair: readTlsPair(files) };
}
