import { SandboxError } from "../interface/errors.ts";

/** A pod is lost for a reason outside it: its node is drained or gone, or the connection to it was cut. */
export class PodLostError extends SandboxError {}
