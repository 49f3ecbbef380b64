/**
 * The form of what a model is sent before the history, and of the results of tools, which is fixed for a session when it is created:
 * - 0: the schemas of custom tools as the client gave them.
 * - 1: as every provider takes them.
 * - 2: short results of tools (`COMPACT_RESULTS`).
 */
export const PREFIX_VERSION = 2;

/** From this version on. */
export const COMPACT_RESULTS = 2;
