import { UsageError } from "../../../shared/failure.ts";
import type { Role } from "./roles.ts";

/** Settings that a service shares with the others, for the operator to fill in. */
const SHARED = `
# The same on every machine; the files belong to the service's user.
# database_url_file: /etc/berth/database.url
# secret_key_file: /etc/berth/secret.key
# blobs: s3://bucket/prefix
`;

/** Returns new settings with the role. */
export function withRole(settings: string, role: Role): string {
  const text = settings.replace(/^# role:.*$/m, `role: ${role}`);
  return isAlone(role) ? text : text + SHARED;
}

/** Returns whether the service can start with settings that contain only its role. */
export function isAlone(role: Role | undefined): boolean {
  return role === undefined || role === "all";
}

/** Requires that existing settings have this role. @throws UsageError if they have another one. */
export function requireRole(settings: string, role: Role, path: string): void {
  const [, present = "all"] = /^role:\s*["']?(\w+)/m.exec(settings) ?? [];
  if (present === role) return;
  throw new UsageError(
    `${path} already exists with the role ${present}: write 'role: ${role}' into it first.`,
  );
}
