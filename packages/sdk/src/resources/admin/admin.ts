import type { Transport } from "../../transport/transport.ts";
import { AdminAuditEntries } from "./audit-entries.ts";
import { AdminDeviceAuthorizations } from "./device-authorizations.ts";
import { AdminErasures } from "./erasures.ts";
import { AdminHosts } from "./hosts.ts";
import { AdminLimits } from "./limits.ts";
import { AdminOperatorTokens } from "./operator-tokens.ts";
import { AdminOrganizations } from "./organizations.ts";
import { AdminRetention } from "./retention.ts";
import { AdminServiceAccounts } from "./service-accounts.ts";
import { AdminSessions } from "./sessions.ts";
import { AdminTokens } from "./tokens.ts";
import { AdminUsers } from "./users.ts";

/** Operations of the installation's operator. The client's token must be an operator token. */
export class Admin {
  readonly organizations: AdminOrganizations;
  readonly users: AdminUsers;
  readonly serviceAccounts: AdminServiceAccounts;
  readonly tokens: AdminTokens;
  readonly operatorTokens: AdminOperatorTokens;
  readonly limits: AdminLimits;
  readonly retention: AdminRetention;
  readonly erasures: AdminErasures;
  readonly deviceAuthorizations: AdminDeviceAuthorizations;
  readonly hosts: AdminHosts;
  readonly sessions: AdminSessions;
  readonly auditEntries: AdminAuditEntries;

  constructor(transport: Transport) {
    this.organizations = new AdminOrganizations(transport);
    this.users = new AdminUsers(transport);
    this.serviceAccounts = new AdminServiceAccounts(transport);
    this.tokens = new AdminTokens(transport);
    this.operatorTokens = new AdminOperatorTokens(transport);
    this.limits = new AdminLimits(transport);
    this.retention = new AdminRetention(transport);
    this.erasures = new AdminErasures(transport);
    this.deviceAuthorizations = new AdminDeviceAuthorizations(transport);
    this.hosts = new AdminHosts(transport);
    this.sessions = new AdminSessions(transport);
    this.auditEntries = new AdminAuditEntries(transport);
  }
}
