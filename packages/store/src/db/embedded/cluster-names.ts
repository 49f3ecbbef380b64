import { join } from "node:path";

/** The superuser, and the only role, of an embedded cluster. */
export const CLUSTER_USER = "berth";

/** The database that clients use. */
export const CLUSTER_DATABASE = "berth";

const CLUSTER_DESCRIPTOR = 3;

/**
 * The path by which a server opens its cluster through an inherited descriptor. Its user may not be able to traverse to the
 * data directory (below a private home directory); it needs access only to the directory itself.
 */
export const CLUSTER_BY_DESCRIPTOR = `/proc/self/fd/${CLUSTER_DESCRIPTOR}`;

/** The file with the password of the cluster's only role; only this process's user can read it. */
export function passwordFile(dataDir: string): string {
  return join(dataDir, "password");
}
