import { type KeyPair, makeAuthority, signPair } from "../mitm/openssl.ts";

/** The name in the gateway's certificate, wherever it is reached. */
export const GATEWAY_NAME = "egress.berth.internal";

/** What a sidecar is started with: the line of its standard input. */
export interface SidecarSettings extends KeyPair {
  gateway: { host: string; port: number };
  /** `GATEWAY_NAME` */
  name: string;
  /** PEM of the authority that signed both certificates. */
  authority: string;
  /** Of the tunnel. */
  id: string;
  token: string;
}

const AUTHORITY_DAYS = 3_650;
const DAYS = 30;

/** Makes the authority of the tunnels of an installation. Both sides have certificates of it. */
export function makeTunnelAuthority(): Promise<KeyPair> {
  return makeAuthority("Berth egress tunnels", AUTHORITY_DAYS);
}

/** A certificate for a gateway, good for thirty days. */
export function signGateway(authority: KeyPair): Promise<KeyPair> {
  const extensions = [`subjectAltName=DNS:${GATEWAY_NAME}`, "extendedKeyUsage=serverAuth"];
  return signPair(authority, { commonName: "Berth egress gateway", days: DAYS, extensions });
}

/** A certificate for sidecars, good for thirty days. It lets them ask; their tokens say what for. */
export function signSidecar(authority: KeyPair): Promise<KeyPair> {
  const extensions = ["extendedKeyUsage=clientAuth"];
  return signPair(authority, { commonName: "Berth egress sidecar", days: DAYS, extensions });
}

/** Makes the authority of the certificates that sandboxes are shown; `openCertificateAuthority` opens it. */
export function makeHostsAuthority(): Promise<KeyPair> {
  return makeAuthority("Berth egress", AUTHORITY_DAYS);
}
