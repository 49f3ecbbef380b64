import type { Config } from "./config.ts";
import { listenAddress } from "./listen-address.ts";
import { hasNoApi } from "./roles.ts";

/** Returns the files of certificate and key, or null for plain HTTP. @throws Error when one is missing. */
export function tlsFilesOf({ tlsCert, tlsKey }: Config): { cert: string; key: string } | null {
  if (tlsCert === null && tlsKey === null) return null;
  if (tlsCert === null) throw new Error("BERTH_TLS_KEY needs BERTH_TLS_CERT, the certificate of the key.");
  if (tlsKey === null) throw new Error("BERTH_TLS_CERT needs BERTH_TLS_KEY, the key of the certificate.");
  return { cert: tlsCert, key: tlsKey };
}

/**
 * Returns a warning when other machines can reach the service and no setting shows that the connection is
 * encrypted; otherwise null. A proxy with TLS shows in the settings.
 */
export function plainHttpWarning(config: Config): string | null {
  const { host, tlsCert, trustedProxies, publicUrl, role, runnerAddress } = config;
  if (tlsCert !== null) return null;
  const metricsAddress = hasNoApi({ role }) ? runnerAddress : config.metricsAddress;
  const isBehindProxy = trustedProxies.length > 0 || publicUrl?.startsWith("https:") === true;
  if (!hasNoApi({ role }) && !isLoopback(host) && !isBehindProxy)
    return `Berth listens for plain HTTP at ${host}, where others on the network can read tokens and contents: set BERTH_TLS_CERT and BERTH_TLS_KEY, or put a proxy with TLS in front and name it in BERTH_TRUSTED_PROXIES.`;
  if (metricsAddress !== null && !isLoopback(listenAddress(metricsAddress).host))
    return `Berth serves its metrics by plain HTTP at ${metricsAddress}, where others on the network can read the tokens of its readers: set BERTH_TLS_CERT and BERTH_TLS_KEY, or choose an address of this machine.`;
  return null;
}

function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
}
