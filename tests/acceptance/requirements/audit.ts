import type { Requirement } from "./requirement.ts";

/** Rules for the audit log. */
export const auditRequirements: readonly Requirement[] = [
  {
    id: "audit-log",
    source: "seed 8",
    rule: "Every request that changed something, and every command of an administrator that did, has one entry: when, who with which token, operation, ids of what, client address, client program and request id. It is stored in the transaction of the change, has nothing that was written or said, and cannot be changed or deleted. A refused, failed or repeated request and a dry run have none.",
  },
  {
    id: "audit-read",
    source: "seed 8",
    rule: "berth admin audit prints entries newest first, by organization, user, operation, resource and time; with --json each is a line.",
  },
];
