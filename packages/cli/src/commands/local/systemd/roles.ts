/** Roles of a machine. */
export const ROLES = ["all", "api", "runner"] as const;
export type Role = (typeof ROLES)[number];
