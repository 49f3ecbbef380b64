import { inShapeOf } from "@berth/egress";
import type { Queryable } from "../../db/statement.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import type { RunRepository } from "../inputs/resource-store.ts";
import { openRepository, type SessionRepository } from "../inputs/session-repository.ts";
import { type Keeping, readKeeping } from "./credential-store.ts";
import { placeholderOf } from "./placeholder.ts";

export interface InsideParts {
  db: { read: Queryable };
  secrets: SecretBox;
}

/** A repository as the sandbox may know it: with its secret, or with the placeholder of one that is kept outside. */
export async function repositoryInside(
  { db, secrets }: InsideParts,
  sessionId: string,
  repository: RunRepository,
): Promise<SessionRepository> {
  const keeping = await readKeeping(db.read, sessionId);
  if (keeping === null) throw new Error("A session is gone.");
  return asInside(openRepository(secrets, repository), repository.id, keeping);
}

export function asInside(
  repository: SessionRepository,
  resourceId: string,
  { mode, seed }: Keeping,
): SessionRepository {
  const { secret } = repository;
  if (mode === "inject" || secret === null) return repository;
  return { ...repository, secret: inShapeOf(secret, placeholderOf(seed, resourceId)) };
}
