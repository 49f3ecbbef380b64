import type { EgressDenied } from "@berth/egress";
import {
  type LayerRoom,
  type PackageSources,
  packagePlans,
  type SystemLayers,
  type SystemTree,
} from "@berth/sandbox";
import type { Queryable } from "../../db/statement.ts";
import type { Disk } from "../disks/disk.ts";
import { beganOnHost } from "./disk-system.ts";
import { type EnvironmentContents, isPlain, readContents } from "./environment-contents.ts";
import type { EnvironmentPhase, EnvironmentWaits } from "./environment-waits.ts";
import { setupPlan, withoutValues } from "./setup-plan.ts";

/** As much of what a package manager or a script wrote as is told. */
const TOLD = 2_000;

/** What the sandboxes of this installation can have as their system. */
export interface SystemParts {
  tree: SystemTree;
  layers: LayerRoom;
  sources: PackageSources;
}

/** What one sandbox is to have as its system. */
export interface SessionSystem {
  /** Undefined: what the engine gives all. */
  system: SystemLayers | undefined;
  /** Why something of the environment is not in it, for people and models; null when all is. */
  fault: string | null;
  /** Called when no sandbox has it open any more. */
  release(): void;
}

export interface SystemRequest {
  sessionId: string;
  disk: Disk;
  signal: AbortSignal;
  onEgressDenied(denied: EgressDenied): void;
  waits: EnvironmentWaits;
}

/**
 * The system for a sandbox that opens now, with what the session's environment adds to it. Waits for what has to be made first,
 * also for the tree itself where something is to be added. Without that it never waits: a disk keeps the system that it began
 * with, and a new one has Berth's own when it is ready.
 *
 * @param parts null where sandboxes have what the engine gives them.
 * @throws the signal's reason, or a SandboxError.
 */
export async function sessionSystem(
  db: Queryable,
  parts: SystemParts | null,
  request: SystemRequest,
): Promise<SessionSystem> {
  const contents = await readContents(db, request.sessionId);
  if (!isPlain(contents)) return await furnishedSystem(parts, contents, request);
  const state = parts?.tree.state();
  if (state?.kind !== "ready" || (await beganOnHost(request.disk))) return { ...HOSTS, fault: null };
  return { ...HOSTS, system: { tree: state.path }, fault: null };
}

const HOSTS = { system: undefined, release() {} };

async function furnishedSystem(
  parts: SystemParts | null,
  contents: EnvironmentContents,
  { signal, onEgressDenied, waits }: SystemRequest,
): Promise<SessionSystem> {
  waits.begin("system");
  const tree = (await parts?.tree.settled(signal)) ?? null;
  if (parts === null || tree === null) return { ...HOSTS, fault: cannot(parts) };
  const plans = [...(await packagePlans(contents.packages, tree, parts.sources)), ...setupPlan(contents)];
  const sharers = contents.organizationId;
  const { paths, failed, release } = await parts.layers.prepare({
    tree,
    plans,
    sharers,
    signal,
    onEgressDenied,
    onLayer: ({ name }) => waits.begin(phaseOf(name)),
  });
  const system = { tree, layers: paths };
  if (failed === null) return { system, fault: null, release };
  const { plan, failure } = failed;
  const left = plans.slice(plans.indexOf(plan)).map(({ name }) => name);
  const output = withoutValues(failure.output, contents.variables).slice(-TOLD);
  const fault = `The session is without its environment's ${allOf.format(left)}. Putting the ${plan.name} in place failed: ${failure.why}.`;
  return { system, fault: output === "" ? fault : `${fault} The end of its output:\n${output}`, release };
}

/** `apt packages` is told as `apt_packages`. */
function phaseOf(plan: string): EnvironmentPhase {
  const phase = phases.find((one) => one === plan.replace(" ", "_"));
  if (phase === undefined) throw new Error(`What waits for the ${plan} is not known.`);
  return phase;
}

const phases: readonly EnvironmentPhase[] = ["apt_packages", "npm_packages", "pip_packages", "setup_script"];

const allOf = new Intl.ListFormat("en", { type: "conjunction" });

function cannot(parts: SystemParts | null): string {
  const state = parts?.tree.state();
  const why =
    state?.kind === "absent"
      ? state.why
      : "its sandboxes have the system of the host or of an image, not one of Berth's";
  return `The session is without its environment's packages and setup script, which this installation cannot put in place: ${why}.`;
}
