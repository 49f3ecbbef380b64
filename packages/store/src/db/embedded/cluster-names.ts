import { join } from "node:path";

/** The superuser, and the only role, of an embedded cluster. */
export const CLUSTER_USER = "berth";

/** The database that clients use. */
export const CLUSTER_DATABASE = "berth";

const CLUSTER_DESCRIPTOR = 3;

/**
 * The path by which a server opens its cluster through an inherited descriptor. The server's user may be
 * unable to traverse to the data directory, for example below a private home directory. It needs access only
 * to the directory itself.
 */
export const CLUSTER_BY_DESCRIPTOR = `/proc/self/fd/${CLUSTER_DESCRIPTOR}`;

/**
 * Returns the path of the file with the password of the cluster's only role. Only this process's user can
 * read the file.
 */
export function passwordFile(dataDir: string): string {
  return join(dataDir, "password");
}
