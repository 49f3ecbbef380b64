import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { replaceFile } from "@berth/linux";
import type { Binaries } from "./binaries.ts";
import { CLUSTER_USER, passwordFile } from "./cluster-names.ts";
import { runStatements } from "./run-on-cluster.ts";

const ITERATIONS = 4_096;

/**
 * Gives the role a password unless it has one. No server of the cluster may be running, since none ever
 * accepts a connection without a password. The file is written last, so that the next start repeats an
 * interrupted attempt.
 * @param lock Descriptor of the server's lock. The program inherits it, so that the next start waits for the
 * program if this process is killed.
 */
export async function ensurePassword(
  dataDir: string,
  cluster: string,
  binaries: Binaries,
  { lock, signal }: { lock: number; signal?: AbortSignal | undefined },
): Promise<void> {
  const file = passwordFile(dataDir);
  if (existsSync(file)) return;
  const { password, statement } = newPassword();
  await runStatements(binaries, { database: "template1", statements: [statement], cluster, lock, signal });
  replaceFile(file, password);
}

/** Returns a new password, and the statement that gives it to the role. */
export function newPassword(): { password: string; statement: string } {
  const password = randomBytes(24).toString("base64url");
  return { password, statement: `alter role ${CLUSTER_USER} password '${verifierOf(password)}'` };
}

/**
 * Computes the verifier that PostgreSQL stores (RFC 5803), so that the password itself is never sent to it.
 */
function verifierOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, "sha256");
  const keyed = (text: string) => createHmac("sha256", salted).update(text).digest();
  const storedKey = createHash("sha256").update(keyed("Client Key")).digest("base64");
  const serverKey = keyed("Server Key").toString("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}
