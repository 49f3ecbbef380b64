import type { EgressDenied } from "@berth/egress";
import { type LayerCache, type PackageSources, packagePlans, type RootFilesystem } from "@berth/sandbox";
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
  signal: AbortSignal;
  onEgressDenied(denied: EgressDenied): void;
  progress: Pick<EnvironmentProgress, "start">;
}

/**
 * Chooses the system for a sandbox that is about to open, with the additions of the session's environment.
 *
 * If the environment adds something, this waits for the root filesystem and for missing layers. Otherwise it
 * never waits: a disk that began with the engine's own system keeps it, and any other gets Berth's if that is
 * ready.
 *
 * @param parts null where sandboxes have the system that the engine gives them.
 * @throws the signal's reason, or a SandboxError.
 */
export async function sessionSystem(deps: SystemDeps | null, request: SystemRequest): Promise<SessionSystem> {
  if (addsSomething(request.session)) return await layeredSystem(deps, request);
  const state = deps?.rootFilesystem.state();
  if (state?.kind !== "ready" || (await wasOnHost(request.disk))) return { ...ENGINES_OWN, fault: null };
  return { ...ENGINES_OWN, system: { rootFilesystem: state.path }, fault: null };
}

const ENGINES_OWN = { system: undefined, release() {} };

/** Returns whether the session's environment adds something to the root filesystem. */
export function addsSomething({ packages, setupScript }: RunSession): boolean {
  return setupScript !== null || Object.values(packages).some((names) => names.length > 0);
}

async function layeredSystem(
  deps: SystemDeps | null,
  { session, signal, onEgressDenied, progress }: SystemRequest,
): Promise<SessionSystem> {
  progress.start("system");
  const rootFilesystem = (await deps?.rootFilesystem.settled(signal)) ?? null;
  if (deps === null || rootFilesystem === null) return { ...ENGINES_OWN, fault: whyNoLayers(deps) };
  const plans = [
    ...(await packagePlans(session.packages, rootFilesystem, deps.sources)),
    ...setupPlan(session),
  ];
  const { paths, failed, release } = await deps.layers.prepare({
    rootFilesystem,
    plans,
    tenant: session.organizationId,
    signal,
    onEgressDenied,
    onLayer: ({ name }) => progress.start(phaseOf(name)),
  });
  const system = { rootFilesystem, layers: paths };
  if (failed === null) return { system, fault: null, release };
  const { plan, failure } = failed;
  const missing = plans.slice(plans.indexOf(plan)).map(({ name }) => name);
  const output = maskValues(failure.output, session.variables).slice(-MAX_OUTPUT);
  const fault = `The session runs without its environment's ${LIST.format(missing)}. Installing the ${plan.name} failed: ${failure.why}.`;
  return { system, fault: output === "" ? fault : `${fault} The end of its output:\n${output}`, release };
}

const PHASES: readonly EnvironmentPhase[] = ["apt_packages", "npm_packages", "pip_packages", "setup_script"];
const LIST = new Intl.ListFormat("en", { type: "conjunction" });

/** Returns the phase of a plan: `apt_packages` for the plan `apt packages`. @throws for an unknown plan. */
function phaseOf(plan: string): EnvironmentPhase {
  const phase = PHASES.find((one) => one === plan.replace(" ", "_"));
  if (phase === undefined) throw new Error(`The plan '${plan}' has no phase.`);
  return phase;
}

function whyNoLayers(deps: SystemDeps | null): string {
  const state = deps?.rootFilesystem.state();
  const why =
    state?.kind === "absent"
      ? state.why
      : "its sandboxes use the system of the host or of an image, not Berth's";
  return `The session runs without its environment's packages and setup script, because this installation cannot install them: ${why}.`;
}
