import { type Sandbox, type SetupFailure, setUpClone } from "@berth/sandbox";
import { maskValues } from "@berth/store/masking";
import type { Placed, Placement } from "../inputs/placement.ts";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { SetupRequest } from "./snapshots/build-setup.ts";

/** The most characters of a script's output that are reported. */
const MAX_OUTPUT = 2_000;

/**
 * Runs a setup script in the session's own sandbox, in a repository that was just cloned. If the process dies
 * meanwhile, the repository is not marked as placed, so the script runs again.
 */
export async function setUpHere(
  sandbox: Pick<Sandbox, "run">,
  setup: SetupRequest,
  onStart: () => void,
): Promise<SetupFailure | "stopped" | null> {
  onStart();
  return await setUpClone(sandbox, setup, setup);
}

export interface SetupContext {
  session: Pick<RunSession, "repositorySetup" | "devcontainer" | "variables">;
  mask(text: string): string;
}

/** Returns a repository's placement after its setup. A failed setup is a fault only if it is required. */
export function placementAfterSetup(
  { session, mask }: SetupContext,
  { url }: Pick<RunRepository, "url">,
  placed: Placed,
  failure: SetupFailure | "stopped" | null,
): Placement {
  if (failure === "stopped") return "later";
  if (failure === null) return placed;
  const own = maskValues(failure.output, session.devcontainer?.variables ?? {});
  const output = mask(maskValues(own, session.variables)).slice(-MAX_OUTPUT);
  const why = `${failure.why}.${output === "" ? "" : ` The end of its output:\n${output}`}`;
  if (session.repositorySetup?.isRequired === true)
    return {
      fault: {
        type: "environment_error",
        message: `The setup script, which the environment requires, failed: ${why}`,
      },
    };
  return { ...placed, unprepared: `The setup script of the repository ${url} failed: ${why}` };
}
