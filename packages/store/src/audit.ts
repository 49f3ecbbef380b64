export { type AuditFilter, listAuditEntries } from "./audit/audit-list-store.ts";
export { type AuditEntry, appendAuditEntry, auditRecord, insertAuditEntries } from "./audit/audit-store.ts";
