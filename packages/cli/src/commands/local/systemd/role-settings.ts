import { UsageError } from "../../../shared/failure.ts";
import type { Role } from "./roles.ts";

/** What one that is not alone shares with the others, to be filled in. */
const SHARED = `
# The same on every machine; the files belong to the service's user.
# database_url_file: /etc/berth/database.url
# secret_key_file: /etc/berth/secret.key
# blobs: s3://bucket/prefix
`;

/** New settings that say the role. */
export function withRole(settings: string, role: Role): string {
  const text = settings.replace(/^# role:.*$/m, `role: ${role}`);
  return isAlone(role) ? text : text + SHARED;
}

/** Whether the service can start with settings that say no more than its role. */
export function isAlone(role: Role | undefined): boolean {
  return role === undefined || role === "all";
}

/** @throws UsageError if settings that are kept say another role. */
export function requireRole(settings: string, role: Role, path: string): void {
  const [, present = "all"] = /^role:\s*["']?(\w+)/m.exec(settings) ?? [];
  if (present === role) return;
  throw new UsageError(`${path} is there, and has the role ${present}: write 'role: ${role}' into it first.`);
}
