import type { Config } from "./config.ts";

/** The files of the service's certificate and key; null: it listens for plain HTTP. @throws when one of them is missing. */
export function tlsFilesOf({ tlsCert, tlsKey }: Config): { cert: string; key: string } | null {
  if (tlsCert === null && tlsKey === null) return null;
  if (tlsCert === null) throw new Error("BERTH_TLS_KEY needs BERTH_TLS_CERT, the certificate of the key.");
  if (tlsKey === null) throw new Error("BERTH_TLS_CERT needs BERTH_TLS_KEY, the key of the certificate.");
  return { cert: tlsCert, key: tlsKey };
}

/**
 * What is to be said when other machines can reach the service and nothing shows that what they send is encrypted; null when nothing
 * is. A proxy with TLS in front of it shows by the settings.
 */
export function plainHttpWarning({ host, tlsCert, trustedProxies, publicUrl }: Config): string | null {
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
  if (isLoopback || tlsCert !== null) return null;
  if (trustedProxies.length > 0 || publicUrl?.startsWith("https:")) return null;
  return `Berth listens for plain HTTP at ${host}, where others on the network can read tokens and contents: set BERTH_TLS_CERT and BERTH_TLS_KEY, or have a proxy with TLS in front and name it in BERTH_TRUSTED_PROXIES.`;
}
