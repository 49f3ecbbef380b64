import { createHash } from "node:crypto";
import { PACKAGE_HOSTS, type SystemLayers } from "@berth/sandbox";
import { egressPolicy } from "../egress/egress-policy.ts";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { SetupRequest } from "./snapshots/build-setup.ts";

/** Inputs of the setup of a session's repositories, besides the repository. */
export interface SetupInputs {
  session: Pick<RunSession, "repositorySetup" | "variables" | "networking">;
  /** The system of the session's sandbox; null for the engine's own. */
  system: SystemLayers | null;
  /** See `SandboxSpec.writable`. */
  writable: string[];
  /** Called when a script that runs apart from the session is denied a connection. */
  onEgressDenied: SetupRequest["onEgressDenied"];
}

/**
 * Returns the setup of a repository, which is the same for all sessions with the same environment, or null
 * when there is none. The script may reach what the environment allows and what package managers need, since
 * it runs without any credential.
 */
export function setupRequest(
  { session, system, writable, onEgressDenied }: SetupInputs,
  { url, mountPath }: Pick<RunRepository, "url" | "mountPath">,
): SetupRequest | null {
  if (session.repositorySetup === null) return null;
  const { script } = session.repositorySetup;
  const allowed = egressPolicy(session, [], []);
  const hosts = new Set([...allowed.hosts, ...Object.values(PACKAGE_HOSTS).flat()]);
  const egress = { ...allowed, hosts: [...hosts].sort() };
  const around = writable.filter((path) => `${mountPath}/`.startsWith(`${path}/`));
  const environment = session.variables;
  const request = { url, mountPath, script, environment, egress, system, writable: around };
  const digest = createHash("sha256").update(JSON.stringify(request)).digest("hex");
  return { ...request, digest, onEgressDenied };
}
