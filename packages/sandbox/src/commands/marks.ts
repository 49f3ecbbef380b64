/** The highest mark. It fits every shell's numbers, and is far below what a process has that no command started. */
const HIGHEST = 1_000_000_000;

/**
 * Numbers by which the processes of commands are known: the resource limit of file locks, which Linux keeps for every process
 * and does nothing with. Whatever a process becomes, starts or leaves, it has the limit of its command: it is inherited, and may be
 * lowered but not raised. So each command of a sandbox gets a lower one than those before, which a shell that lives on can take, too.
 */
export class Marks {
  #last = HIGHEST;

  next(): number {
    this.#last -= 1;
    return this.#last;
  }

  /** What a process with this limit is marked with; null for a limit that no command was given. */
  known(limit: number): number | null {
    return limit >= this.#last && limit < HIGHEST ? limit : null;
  }
}
