import { join } from "node:path";
import { currentBundle } from "../../../script/bundle/current-bundle.ts";

const bundle = currentBundle();

/**
 * The thread of leases from the bundle, which starts in a quarter of the time. Undefined, and so the sources,
 * if there is no bundle of the current sources.
 */
export const LEASE_PROGRAM = bundle === null ? undefined : join(bundle, "lease-thread.js");
