import { createHash, randomBytes, randomUUID } from "node:crypto";
import { LeaseLost } from "@berth/agent";
import { GATEWAY_NAME, type KeyPair } from "@berth/egress";
import type { EgressTunnel, SandboxSpec } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { removeTunnel, storeTunnel, updateTunnel } from "./tunnel-store.ts";

/** What the tunnels of all sessions of a runner have in common. */
export interface TunnelParts {
  db: Queryable;
  /** Where sandboxes find the gateway: an IPv4 address, since they have no resolver, and a port. */
  gateway(): Promise<{ host: string; port: number }>;
  /** PEM of the authority of the tunnels, and what sidecars show. */
  authority: string;
  sidecar(): Promise<KeyPair>;
}

export function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** How a session's sandbox on another host gets its tunnel: a new one with a token of its own for each. */
export function sessionTunnel(
  { db, gateway, authority, sidecar }: TunnelParts,
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
