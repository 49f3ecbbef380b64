import { STANDARD_PORTS } from "../policy/policy.ts";

export const DNS_PORT = 53;

/** Port at which programs that are configured to use a proxy find one, at every loopback address. */
export const PROXY_PORT = 3128;

/** TCP ports at which the connections of every sandbox are captured. */
export const DEFAULT_PORTS: readonly number[] = [...STANDARD_PORTS, PROXY_PORT, DNS_PORT];
