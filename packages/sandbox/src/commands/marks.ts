/** The highest mark. It fits every shell's numbers and is far below the limit of a process that no command started. */
const HIGHEST = 1_000_000_000;

/**
 * Marks the processes of commands: by the resource limit for file locks, which Linux keeps for every process and does not use.
 * Whatever a process becomes or starts has the limit of its command: it is inherited, and can be lowered but not raised. So
 * each command of a sandbox gets a lower limit than those before, which a shell that lives on can set, too.
 */
export class Marks {
  #last = HIGHEST;

  next(): number {
    this.#last -= 1;
    return this.#last;
  }

  /** The mark of a process with this limit; null for a limit that no command was given. */
  known(limit: number): number | null {
    return limit >= this.#last && limit < HIGHEST ? limit : null;
  }
}
