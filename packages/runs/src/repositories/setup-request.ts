import { createHash } from "node:crypto";
import { type LayerRuntimes, PACKAGE_HOSTS, quote, type SystemLayers } from "@berth/sandbox";
import { egressPolicy } from "../egress/egress-policy.ts";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { SetupRequest } from "./snapshots/build-setup.ts";

/** Inputs of the setup of a session's repositories, besides the repository. */
export interface SetupInputs {
  session: Pick<RunSession, "repositorySetup" | "devcontainer" | "variables" | "networking">;
  /** The system of the session's sandbox; null for the engine's own. */
  system: SystemLayers | null;
  /** The runtimes of the session's sandbox; null for none. */
  runtimes: LayerRuntimes | null;
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
  { session, system, runtimes, writable, onEgressDenied }: SetupInputs,
  { id, url, mountPath }: Pick<RunRepository, "id" | "url" | "mountPath">,
): SetupRequest | null {
  const own = session.devcontainer?.repository === id ? session.devcontainer : null;
  const script = setupScript(session.repositorySetup?.script ?? null, own?.script ?? null);
  if (script === null) return null;
  const allowed = egressPolicy(session, [], []);
  const hosts = new Set([...allowed.hosts, ...Object.values(PACKAGE_HOSTS).flat()]);
  const egress = { ...allowed, hosts: [...hosts].sort() };
  const around = writable.filter((path) => `${mountPath}/`.startsWith(`${path}/`));
  const environment = { ...runtimes?.variables, ...own?.variables, ...session.variables };
  const request = { url, mountPath, script, environment, egress, system, writable: around };
  const { trees = [], directories = [] } = runtimes ?? {};
  const whole = trees.length === 0 ? request : { ...request, trees };
  const digest = createHash("sha256").update(JSON.stringify(whole)).digest("hex");
  return { ...request, directories, digest, onEgressDenied };
}

/** Returns a script that runs the environment's, and then the repository's own; null for neither. */
function setupScript(shared: string | null, own: string | null): string | null {
  if (shared === null || own === null) return shared ?? own;
  return `first=$(mktemp)
printf %s ${quote(shared)} >"$first" && chmod 700 "$first"
case $(head -c 2 "$first") in '#!') "$first" </dev/null ;; *) /bin/sh -e "$first" </dev/null ;; esac
rm -f "$first"
${own}`;
}
