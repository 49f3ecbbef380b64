import { formatId } from "@berth/contract";
import { type Sandbox, setUpClone } from "@berth/sandbox";
import { maskValues } from "../../masking/mask-values.ts";
import type { Placement } from "../inputs/placement.ts";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { RunLog } from "../lease/run-log.ts";

/** How much of the output of a script is reported, in characters. */
const MAX_OUTPUT = 2_000;

export interface SetupTarget {
  session: Pick<RunSession, "repositorySetup" | "variables">;
  sandbox: Pick<Sandbox, "run">;
  runLog: Pick<RunLog, "append">;
  /** Takes what the model is to be told. */
  notes: string[];
  mask(text: string): string;
}

/**
 * Runs the environment's setup script in a repository that was just cloned. A process that dies meanwhile leaves the repository
 * unplaced, so that the script runs again.
 *
 * @param onStart called when there is a script to run.
 * @returns how putting the repository in place ended: as before, also when the script failed, unless the environment requires it to succeed.
 */
export async function setUpRepository(
  target: SetupTarget,
  repository: RunRepository,
  cloned: Placement,
  onStart: () => void,
): Promise<Placement> {
  const { session, sandbox } = target;
  const setup = session.repositorySetup;
  if (setup === null || cloned === "later" || "fault" in cloned) return cloned;
  onStart();
  const failure = await setUpClone(sandbox, repository, {
    script: setup.script,
    environment: session.variables,
  });
  if (failure === "stopped") return "later";
  if (failure === null) return cloned;
  const output = target.mask(maskValues(failure.output, session.variables)).slice(-MAX_OUTPUT);
  const end = output === "" ? "" : ` The end of its output:\n${output}`;
  if (setup.isRequired) {
    const message = `The setup script, which its environment requires, failed: ${failure.why}.${end}`;
    return { fault: { type: "environment_error", message } };
  }
  await reportFailedSetup(
    target,
    repository,
    `The setup script of the repository ${repository.url} failed: ${failure.why}.${end}`,
  );
  return cloned;
}

async function reportFailedSetup(
  { runLog, notes }: SetupTarget,
  { id }: RunRepository,
  message: string,
): Promise<void> {
  const error = {
    type: "environment_error" as const,
    message,
    retry_status: { type: "exhausted" as const },
    resource_id: formatId("session_resource", id),
  };
  await runLog.append([{ event: { type: "session.error", error } }]);
  notes.push(`[${message}]`);
}
