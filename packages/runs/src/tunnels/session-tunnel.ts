import { createHash, randomBytes, randomUUID } from "node:crypto";
import { LeaseLost } from "@berth/agent";
import { GATEWAY_NAME, type KeyPair } from "@berth/egress";
import type { EgressTunnel, SandboxSpec } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { removeTunnel, storeTunnel, updateTunnel } from "./tunnel-store.ts";

/** The collaborators of the tunnels of all sessions of a runner. */
export interface TunnelDeps {
  db: Queryable;
  /** Returns the gateway's port and IPv4 address, since sandboxes have no resolver. */
  gateway(): Promise<{ host: string; port: number }>;
  /** The PEM certificate of the tunnels' authority. */
  authority: string;
  /** Returns the certificate and key that sidecars present. */
  sidecar(): Promise<KeyPair>;
}

export function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/**
 * Returns the function that opens a tunnel for a session's sandbox on another host. Each tunnel has a token
 * of its own. The function throws LeaseLost.
 */
export function sessionTunnel(
  { db, gateway, authority, sidecar }: TunnelDeps,
  lease: Lease,
): NonNullable<SandboxSpec["openTunnel"]> {
  return async (policy): Promise<EgressTunnel> => {
    const [id, token] = [randomUUID(), randomBytes(32).toString("base64url")];
    const [address, pair] = await Promise.all([gateway(), sidecar()]);
    const isStored = await storeTunnel(db, lease, { id, tokenHash: tokenHash(token), policy });
    if (!isStored) throw new LeaseLost();
    return {
      epoch: lease.epoch,
      settings: { gateway: address, name: GATEWAY_NAME, authority, ...pair, id, token },
      setPolicy: (changed) => updateTunnel(db, lease, id, changed),
      close: () => removeTunnel(db, id),
    };
  };
}
