import { createHash } from "node:crypto";
import { readRegularFile } from "@berth/linux";
import type { Config } from "./config.ts";
import { variablesOf } from "./settings.ts";

/** Settings of one machine or one process. Differences between hosts do not affect sessions. */
const LOCAL: ReadonlySet<keyof Config> = new Set([
  "dataDir",
  "role",
  "host",
  "port",
  "tlsCert",
  "tlsKey",
  "trustedProxies",
  "publicUrl",
  "previewAddress",
  "console",
  "oidcIssuer",
  "oidcClientId",
  "oidcClientSecretFile",
  "oidcScopes",
  "oidcClaim",
  "oidcMapping",
  "httpsProxy",
  "httpProxy",
  "noProxy",
  "smtpUrl",
  "smtpFrom",
  "databaseUrl",
  "databaseDirectUrl",
  "databasePool",
  "pgBin",
  "migrate",
  "secretKeyFile",
  "blobs",
  "blobCacheMb",
  "modelsFile",
  "runtimesFile",
  "snapshotsMegabytes",
  "snapshotsDays",
  "systemDir",
  "debianMirror",
  "dockerSocket",
  "kubeconfig",
  "kubernetesPodPatch",
  "accessLog",
  "logLevel",
  "organizationLimits",
  "userLimits",
  "addressLimits",
  "metricsAddress",
  "runnerAddress",
  "egressAddress",
  "egressGateway",
  "metricsPublic",
]);

/**
 * Returns digests of all settings that affect sessions, by setting name, and of the models as `models`.
 * Services whose digests differ give different results, depending on which runs a session. A digest reveals
 * no value.
 * @param models Models as the registry lists them.
 */
export function settingDigests(config: Config, models: readonly object[]): Record<string, string> {
  const shared = variablesOf(config).filter(([key]) => !LOCAL.has(key));
  const values = [
    ...shared.map(([, variable, value]) => [variable, value] as const),
    ["models", models] as const,
  ];
  return Object.fromEntries(values.map(([name, value]) => [name, digest(value)]));
}

function digest(value: unknown): string {
  const text = JSON.stringify(value, (key, part) => (key === "ca_file" ? contentOf(part) : part));
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Returns a file's content in place of its path, since paths of certificates differ between machines. */
function contentOf(file: unknown): unknown {
  try {
    return typeof file === "string" ? readRegularFile(file) : file;
  } catch {
    return file;
  }
}
