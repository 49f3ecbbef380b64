import type { SecretBox } from "../../secrets/secret-box.ts";
import type { RunRepository } from "./resource-store.ts";

/** A repository with what git needs to reach it. */
export interface SessionRepository {
  /** A hosted one's token is also its provider's, whose CLI gets it; a generic one's password is for git alone. */
  type: RunRepository["type"];
  url: string;
  mountPath: string;
  /** Null for the default. */
  username: string | null;
  /** The token or the password; null for one that is read without. */
  secret: string | null;
}

export function openRepository(secrets: SecretBox, repository: RunRepository): SessionRepository {
  const { id, type, url, mountPath, username, secret } = repository;
  const place = { table: "session_resources", row: id, column: "secret" };
  return { type, url, mountPath, username, secret: secret === null ? null : secrets.open(place, secret) };
}
