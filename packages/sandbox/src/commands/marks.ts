/**
 * Above the highest mark. It fits every shell's integers and is far below the limit of a process that no
 * command started.
 */
const HIGHEST = 1_000_000_000;

/**
 * Marks the processes of commands by the resource limit for file locks, which Linux keeps for every process
 * and does not use. Whatever a process becomes or starts has the limit of its command, because the limit is
 * inherited, and can be lowered but not raised. So each command of a sandbox gets a lower limit than earlier
 * ones; a shell that lives on can also set it.
 */
export class Marks {
  #last = HIGHEST;

  next(): number {
    this.#last -= 1;
    return this.#last;
  }

  /** Returns the mark of a process with this limit; null for a limit that no command was given. */
  known(limit: number): number | null {
    return limit >= this.#last && limit < HIGHEST ? limit : null;
  }
}
