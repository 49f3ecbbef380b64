import { randomUUID } from "node:crypto";
import type { CredentialSource } from "@berth/egress";
import type { SessionRepository } from "../inputs/session-repository.ts";
import { placeholderOf } from "./placeholder.ts";
import { asInside } from "./repository-inside.ts";
import { repositoryTargets } from "./repository-targets.ts";

/** A repository for a sandbox of the service's own, which never has the secret, and what puts it in on the way to the repository. */
export function withSecretOutside(repository: SessionRepository): {
  inside: SessionRepository;
  credentials: CredentialSource;
} {
  const [seed, { url, secret: value }] = [randomUUID(), repository];
  const placeholder = placeholderOf(seed, url);
  const targets = repositoryTargets({ ...repository, type: "git_repository" }, []);
  const credentials = value === null ? [] : [{ placeholder, value, targets, anywhere: false }];
  return {
    inside: asInside(repository, url, { mode: "proxy", seed }),
    credentials: async () => credentials,
  };
}
