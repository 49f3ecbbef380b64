/**
 * The version of the prefix and of tool results, which is fixed for a session when it is created:
 * - 0: the schemas of custom tools as the client gave them.
 * - 1: schemas that every provider accepts.
 * - 2: short results of tools (`COMPACT_RESULTS`).
 */
export const PREFIX_VERSION = 2;

/** The first version with short results of tools. */
export const COMPACT_RESULTS = 2;
