export { type Administration, administration } from "./administration/administration.ts";
export type { AdministeredSettings, Administrator } from "./administration/administrator.ts";
export type { AuditQuery } from "./administration/audit-entries.ts";
export { listHosts } from "./administration/list-hosts.ts";
export type { Subject } from "./administration/subject.ts";
