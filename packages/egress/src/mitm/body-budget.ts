/** For all bodies of one sandbox that are read whole at a time. */
const mostBytes = 8 * 1024 * 1024;

/** There is no room for another body now. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
}

/** The room that one request has taken. */
export interface BodyRoom {
  /** @throws NoRoom */
  take(bytes: number): void;
  /** Gives back what was taken. May be called again. */
  release(): void;
}

const taken = new WeakMap<object, number>();

/** Room for one request, of what all of the owner's share. */
export function bodyRoom(owner: object): BodyRoom {
  let own = 0;
  return {
    take(bytes) {
      const all = (taken.get(owner) ?? 0) + bytes;
      if (all > mostBytes) throw new NoRoom("Too many bodies are on their way at once.");
      taken.set(owner, all);
      own += bytes;
    },
    release() {
      taken.set(owner, (taken.get(owner) ?? 0) - own);
      own = 0;
    },
  };
}
