import { lookup } from "node:dns/promises";
import { type KeyPair, makeHostsAuthority, makeTunnelAuthority, signSidecar } from "@berth/egress";
import type { Queryable } from "@berth/store/db";
import type { SecretBox } from "@berth/store/secrets";
import { sharedAuthority } from "./authority-store.ts";
import type { TunnelDeps } from "./session-tunnel.ts";

const DAY_MS = 86_400_000;

/**
 * Returns the parts with which a runner opens tunnels.
 *
 * @param gateway the name or address, and the port, at which sandboxes find the gateway. This process
 * resolves a name for each sandbox.
 */
export async function openTunnelParts(
  db: Queryable,
  secrets: SecretBox,
  gateway: { host: string; port: number },
): Promise<TunnelDeps> {
  const authority = await sharedAuthority(db, secrets, "tunnels", makeTunnelAuthority);
  return {
    db,
    gateway: async () => ({ host: (await lookup(gateway.host, { family: 4 })).address, port: gateway.port }),
    authority: authority.certificate,
    sidecar: renewed(() => signSidecar(authority), DAY_MS),
  };
}

/** Returns the certificate that sandboxes must trust: gateways show it for hosts that get secrets. */
export async function hostsCertificate(db: Queryable, secrets: SecretBox): Promise<string> {
  return (await sharedAuthority(db, secrets, "hosts", makeHostsAuthority)).certificate;
}

/** Returns a function that caches what `make` returns and renews it after `maxAgeMs`. */
function renewed(make: () => Promise<KeyPair>, maxAgeMs: number): () => Promise<KeyPair> {
  let [made, madeAt]: [Promise<KeyPair> | null, number] = [null, 0];
  return () => {
    if (made === null || performance.now() - madeAt > maxAgeMs) {
      madeAt = performance.now();
      made = make();
      made.catch(() => {
        made = null;
      });
    }
    return made;
  };
}
