import type { EgressDenied } from "@berth/egress";
import {
  type LayerCache,
  type LayerFailure,
  type LayerRuntimes,
  type PackageSources,
  packagePlans,
  type RootFilesystem,
  RootFilesystemError,
} from "@berth/sandbox";
import { maskValues } from "@berth/store/masking";
import type { Disk } from "../disks/session-disk.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import { type SessionSystem, wasOnHost } from "./disk-system.ts";
import type { EnvironmentPhase, EnvironmentProgress } from "./environment-progress.ts";
import { setupPlan } from "./setup-plan.ts";

/** The most characters of the output of a package manager or a script that are reported. */
const MAX_OUTPUT = 2_000;

/** The systems that the sandboxes of this installation can have. */
export interface SystemDeps {
  rootFilesystem: RootFilesystem;
  layers: LayerCache;
  sources: PackageSources;
}

export interface SystemRequest {
  session: RunSession;
  disk: Disk;
  /** The session's runtimes, which its scripts and package managers use; null for none. */
  runtimes: LayerRuntimes | null;
  signal: AbortSignal;
  onEgressDenied(denied: EgressDenied): void;
  progress: Pick<EnvironmentProgress, "start">;
}

/**
 * Chooses the system for a sandbox that is about to open, with the additions of the session's environment.
 *
 * Waits until the root filesystem is built and for missing layers, so that every session has the same system
 * from its first command on. On a machine that can have no root filesystem, sessions have the engine's own
 * system, and a disk that began with that keeps it unless its environment adds something.
 *
 * @param deps null where sandboxes have the system that the engine gives them.
 * @throws the signal's reason, a RootFilesystemError, or another SandboxError.
 */
export async function sessionSystem(deps: SystemDeps | null, request: SystemRequest): Promise<SessionSystem> {
  const { session, disk, signal, progress } = request;
  const adds = addsSomething(session);
  if (deps === null) return { ...ENGINES_OWN, faults: adds ? [noLayers(NOT_BERTHS)] : [] };
  if (!adds && (await wasOnHost(disk))) return { ...ENGINES_OWN, faults: [] };
  progress.start("system");
  const settled = await deps.rootFilesystem.settled(signal);
  if (settled.kind === "failed") throw new RootFilesystemError(settled.why, settled.retryAt);
  if (settled.kind === "unavailable") return { ...ENGINES_OWN, faults: adds ? [noLayers(settled.why)] : [] };
  if (adds) return await layeredSystem(deps, request, settled.path);
  return { ...ENGINES_OWN, system: { rootFilesystem: settled.path }, faults: [] };
}

/** Returns whether opening a sandbox may take as long as building its system. */
export function mayWaitForSystem(deps: SystemDeps | null, session: RunSession): boolean {
  return deps !== null && (addsSomething(session) || deps.rootFilesystem.state().kind === "building");
}

const ENGINES_OWN = { system: undefined, release() {} };

/** Returns whether the session's environment adds something to the root filesystem. */
function addsSomething({ packages, setupScript }: RunSession): boolean {
  return setupScript !== null || Object.values(packages).some((names) => names.length > 0);
}

async function layeredSystem(
  deps: SystemDeps,
  { session, runtimes, signal, onEgressDenied, progress }: SystemRequest,
  rootFilesystem: string,
): Promise<SessionSystem> {
  const plans = [
    ...(await packagePlans(session.packages, rootFilesystem, deps.sources, runtimes)),
    ...setupPlan(session, runtimes),
  ];
  const { paths, failed, partial, release } = await deps.layers.prepare({
    rootFilesystem,
    plans,
    tenant: session.organizationId,
    signal,
    onEgressDenied,
    onLayer: ({ name }) => progress.start(phaseOf(name)),
  });
  const system = { rootFilesystem, layers: paths };
  const faults = partial.map(({ plan, failure }) => {
    const { missing = [] } = failure;
    const name = missing.length === 1 ? plan.name.replace(/s$/, "") : plan.name;
    const fault = `The session runs without the ${name} ${LIST.format(missing)} of its environment`;
    return withOutput(fault, failure, session);
  });
  if (failed === null) return { system, faults, release };
  const { plan, failure } = failed;
  const missing = plans.slice(plans.indexOf(plan)).map(({ name }) => name);
  const fault = `The session runs without its environment's ${LIST.format(missing)}. Installing the ${plan.name} failed: ${failure.why}`;
  return { system, faults: [...faults, withOutput(fault, failure, session)], release };
}

function withOutput(fault: string, failure: LayerFailure, { variables }: RunSession): string {
  const output = maskValues(failure.output, variables).slice(-MAX_OUTPUT);
  return output === "" ? `${fault}.` : `${fault}. The end of its output:\n${output}`;
}

const PHASES: readonly EnvironmentPhase[] = ["apt_packages", "npm_packages", "pip_packages", "setup_script"];
const LIST = new Intl.ListFormat("en", { type: "conjunction" });

/** Returns the phase of a plan: `apt_packages` for the plan `apt packages`. @throws for an unknown plan. */
function phaseOf(plan: string): EnvironmentPhase {
  const phase = PHASES.find((one) => one === plan.replace(" ", "_"));
  if (phase === undefined) throw new Error(`The plan '${plan}' has no phase.`);
  return phase;
}

const NOT_BERTHS = "its sandboxes use the system of the host or of an image, not Berth's";

function noLayers(why: string): string {
  return `The session runs without its environment's packages and setup script, because this installation cannot install them: ${why}.`;
}
