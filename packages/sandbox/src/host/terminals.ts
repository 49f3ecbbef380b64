/** Maximum pseudoterminals of a sandbox; the machine has a few thousand for all. */
export const MAX_TERMINALS = 64;
