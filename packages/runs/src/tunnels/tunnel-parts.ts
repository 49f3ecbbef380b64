import { lookup } from "node:dns/promises";
import { type KeyPair, makeHostsAuthority, makeTunnelAuthority, signSidecar } from "@berth/egress";
import type { Queryable } from "@berth/store/db";
import type { SecretBox } from "@berth/store/secrets";
import { sharedAuthority } from "./authority-store.ts";
import type { TunnelParts } from "./session-tunnel.ts";

const DAY_MS = 86_400_000;

/**
 * What a runner opens tunnels with.
 *
 * @param gateway The name, or the address, and the port at which sandboxes find it. A name is resolved for each sandbox, here.
 */
export async function openTunnelParts(
  db: Queryable,
  secrets: SecretBox,
  gateway: { host: string; port: number },
): Promise<TunnelParts> {
  const authority = await sharedAuthority(db, secrets, "tunnels", makeTunnelAuthority);
  return {
    db,
    gateway: async () => ({ host: (await lookup(gateway.host, { family: 4 })).address, port: gateway.port }),
    authority: authority.certificate,
    sidecar: renewed(() => signSidecar(authority), DAY_MS),
  };
}

/** The certificate that sandboxes must trust, since gateways show it for hosts to which secrets are sent. */
export async function hostsCertificate(db: Queryable, secrets: SecretBox): Promise<string> {
  return (await sharedAuthority(db, secrets, "hosts", makeHostsAuthority)).certificate;
}

/** Makes something anew when it is older. */
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
