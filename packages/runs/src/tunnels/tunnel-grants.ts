import { timingSafeEqual } from "node:crypto";
import type { TunnelGrant, TunnelTicket } from "@berth/egress";
import { type CredentialDeps, SessionCredentials } from "../credentials/session-credentials.ts";
import { tokenHash } from "./session-tunnel.ts";
import { readTunnels } from "./tunnel-store.ts";

/** Ids are checked, since they come from whoever connects. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns a function that reads the policies and secrets of tunnels from the database at each call. */
export function tunnelGrants(deps: CredentialDeps) {
  return async (tickets: readonly TunnelTicket[]): Promise<Map<string, TunnelGrant>> => {
    const tokens = new Map(tickets.filter(({ id }) => UUID.test(id)).map(({ id, token }) => [id, token]));
    const rows = await readTunnels(deps.db.read, [...tokens.keys()]);
    const valid = rows.filter((row) => timingSafeEqual(row.tokenHash, tokenHash(tokens.get(row.id) ?? "")));
    return new Map(
      valid.map(({ id, sessionId, policy, revision }) => {
        const session = new SessionCredentials(deps, sessionId);
        const [credentials, services] = [session.egressSource(), session.services()];
        return [id, { policy, revision, credentials, services }];
      }),
    );
  };
}
