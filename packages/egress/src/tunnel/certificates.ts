import { type KeyPair, makeAuthority, signPair } from "../mitm/openssl.ts";

/** Name in the gateway's certificate, whatever its address. */
export const GATEWAY_NAME = "egress.berth.internal";

/** Settings of a sidecar, which it reads as one line from standard input. */
export interface SidecarSettings extends KeyPair {
  gateway: { host: string; port: number };
  /** Name in the gateway's certificate: `GATEWAY_NAME`. */
  name: string;
  /** PEM of the authority that signed both certificates. */
  authority: string;
  /** Id of the tunnel. */
  id: string;
  token: string;
}

const AUTHORITY_DAYS = 3_650;
const DAYS = 30;

/** Creates the authority that signs both sides' certificates for the tunnels of an installation. */
export function makeTunnelAuthority(): Promise<KeyPair> {
  return makeAuthority("Berth egress tunnels", AUTHORITY_DAYS);
}

/** Creates a certificate for a gateway, valid for thirty days. */
export function signGateway(authority: KeyPair): Promise<KeyPair> {
  const extensions = [`subjectAltName=DNS:${GATEWAY_NAME}`, "extendedKeyUsage=serverAuth"];
  return signPair(authority, { commonName: "Berth egress gateway", days: DAYS, extensions });
}

/** Creates a certificate for sidecars, valid for thirty days. A sidecar's token determines its access. */
export function signSidecar(authority: KeyPair): Promise<KeyPair> {
  const extensions = ["extendedKeyUsage=clientAuth"];
  return signPair(authority, { commonName: "Berth egress sidecar", days: DAYS, extensions });
}

/**
 * Creates the authority of the certificates that sandboxes are shown; `openCertificateAuthority` opens it.
 */
export function makeHostsAuthority(): Promise<KeyPair> {
  return makeAuthority("Berth egress", AUTHORITY_DAYS);
}
