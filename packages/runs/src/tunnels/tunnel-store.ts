import type { EgressPolicy } from "@berth/egress";
import type { Queryable } from "@berth/store/db";
import { HELD, type Lease, leaseValues } from "@berth/store/leases";

/** The channel that notifies gateways of a changed tunnel, by its id. */
export const TUNNELS = "berth_egress";

export interface TunnelRow {
  id: string;
  sessionId: string;
  tokenHash: Buffer;
  policy: EgressPolicy;
  revision: number;
}

/** Stores the tunnel of a session's sandbox, instead of the former. @returns whether the lease is held. */
export async function storeTunnel(
  db: Queryable,
  lease: Lease,
  { id, tokenHash, policy }: Pick<TunnelRow, "id" | "tokenHash" | "policy">,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "store_tunnel",
    text: `
      insert into egress_tunnels (session_id, id, owner, epoch, token_hash, policy)
      select sessions.id, $4, lease_owner, lease_epoch, $5, $6 from sessions where ${HELD}
      on conflict (session_id) do update set id = excluded.id, owner = excluded.owner, epoch = excluded.epoch,
        token_hash = excluded.token_hash, policy = excluded.policy, revision = 1`,
    values: [...leaseValues(lease), id, tokenHash, policy],
  });
  return rowCount > 0;
}

/** Changes the policy. @returns the revision; null when the lease is lost or the tunnel was replaced. */
export async function updateTunnel(
  db: Queryable,
  lease: Lease,
  id: string,
  policy: EgressPolicy,
): Promise<number | null> {
  const { rows } = await db.query<{ revision: number }>({
    name: "update_tunnel",
    text: `
      with changed as (
        update egress_tunnels set policy = $5, revision = revision + 1
        from sessions where ${HELD} and session_id = sessions.id and egress_tunnels.id = $4
        returning egress_tunnels.id, revision)
      select revision::double precision as revision, pg_notify('${TUNNELS}', id::text) from changed`,
    values: [...leaseValues(lease), id, policy],
  });
  return rows[0]?.revision ?? null;
}

/** Ends a tunnel. */
export async function removeTunnel(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "remove_tunnel",
    text: `
      with gone as (delete from egress_tunnels where id = $1 returning id)
      select pg_notify('${TUNNELS}', id::text) from gone`,
    values: [id],
  });
}

/** Returns which of these tunnels have the present lease of their session. */
export async function readTunnels(db: Queryable, ids: readonly string[]): Promise<TunnelRow[]> {
  const { rows } = await db.query<TunnelRow>({
    name: "tunnels",
    text: `
      select egress_tunnels.id, session_id as "sessionId", token_hash as "tokenHash", policy,
        revision::double precision as revision
      from egress_tunnels join sessions on sessions.id = session_id
      where egress_tunnels.id = any($1::uuid[]) and deleted_at is null
        and (lease_owner, lease_epoch) = (owner, epoch)`,
    values: [ids],
  });
  return rows;
}
