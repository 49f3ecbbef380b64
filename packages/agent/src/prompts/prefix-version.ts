/**
 * The form of what a model is sent before the history, which is fixed for a session when it is created:
 * - 0: the schemas of custom tools as the client gave them.
 * - 1: as every provider takes them.
 */
export const PREFIX_VERSION = 1;
