import { join } from "node:path";
import { currentBundle } from "../../../script/bundle/current-bundle.ts";

const bundle = currentBundle();

/**
 * Path of the lease thread's program in the bundle, which starts in a quarter of the time. Undefined if the
 * bundle is not made from the current sources: the thread then runs from the sources.
 */
export const LEASE_PROGRAM = bundle === null ? undefined : join(bundle, "lease-thread.js");
