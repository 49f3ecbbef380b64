import { SandboxError } from "../interface/errors.ts";

/** A pod is lost for a reason that is not its own: its node is drained or gone, or what connects this process to it ended. */
export class PodLostError extends SandboxError {}
