import { adminAuditEntryRoutes } from "./audit-entries.ts";
import { adminDeviceAuthorizationRoutes } from "./device-authorizations.ts";
import { adminErasureRoutes } from "./erasures.ts";
import { adminHostRoutes } from "./hosts.ts";
import { adminLimitRoutes, adminRetentionRoutes } from "./limits.ts";
import { adminOrganizationRoutes } from "./organizations.ts";
import { adminServiceAccountRoutes } from "./service-accounts.ts";
import { adminSessionRoutes } from "./sessions.ts";
import { adminOperatorTokenRoutes, adminTokenRoutes } from "./tokens.ts";
import { adminUserRoutes } from "./users.ts";

/** The routes of the operator, by noun and verb, as in `adminOperations`. */
export const adminRoutes = {
  adminOrganizations: adminOrganizationRoutes,
  adminUsers: adminUserRoutes,
  adminServiceAccounts: adminServiceAccountRoutes,
  adminTokens: adminTokenRoutes,
  adminOperatorTokens: adminOperatorTokenRoutes,
  adminLimits: adminLimitRoutes,
  adminRetention: adminRetentionRoutes,
  adminErasures: adminErasureRoutes,
  adminDeviceAuthorizations: adminDeviceAuthorizationRoutes,
  adminHosts: adminHostRoutes,
  adminSessions: adminSessionRoutes,
  adminAuditEntries: adminAuditEntryRoutes,
};
