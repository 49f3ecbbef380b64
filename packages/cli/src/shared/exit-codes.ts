/** Exit codes of all commands. Scripts rely on them. */
export const EXIT_CODES = {
  done: 0,
  failed: 1,
  usage: 2,
  waiting: 3,
  notAllowed: 4,
  interrupted: 130,
} as const;
