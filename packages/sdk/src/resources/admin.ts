import type { Transport } from "../transport/transport.ts";
import { resource } from "./resource.ts";

/**
 * Operations of administration. The client's token must be an operator's or, for most of them, an admin's.
 */
export type Admin = ReturnType<typeof admin>;

/** Returns the methods of administration. */
export function admin(transport: Transport) {
  return {
    organizations: resource(transport, "adminOrganizations"),
    users: resource(transport, "adminUsers"),
    serviceAccounts: resource(transport, "adminServiceAccounts"),
    tokens: resource(transport, "adminTokens"),
    operatorTokens: resource(transport, "adminOperatorTokens"),
    limits: resource(transport, "adminLimits"),
    retention: resource(transport, "adminRetention"),
    erasures: resource(transport, "adminErasures"),
    deviceAuthorizations: resource(transport, "adminDeviceAuthorizations"),
    hosts: resource(transport, "adminHosts"),
    sessions: resource(transport, "adminSessions"),
    auditEntries: resource(transport, "adminAuditEntries"),
  } as const;
}
