/** Done at once, before work is spread over time. */
const burst = 16;
/** Then one piece of work each. */
const refillMs = 1_000;
const mostWaiting = 64;

/** Does a piece of work for an owner when its turn has come. Rejects where too many wait. */
export type InTurn = <T>(owner: object, work: () => Promise<T>) => Promise<T>;

interface Line {
  waiting: number;
  last: Promise<unknown>;
  /** Pieces of work that may be done at once, when there were so many at `at`. */
  tokens: number;
  at: number;
}

/** Lets nobody have more than one piece of work done at a time, nor more than some a second for long. Owners do not wait for each other. */
export function createTurns(now: () => number = () => performance.now()): InTurn {
  const lines = new WeakMap<object, Line>();
  return (owner, work) => {
    const line = lines.get(owner) ?? { waiting: 0, last: Promise.resolve(), tokens: burst, at: now() };
    lines.set(owner, line);
    if (line.waiting >= mostWaiting) return Promise.reject(new Error("Too much is asked at once."));
    line.waiting += 1;
    const done = line.last.then(async () => {
      await token(line, now);
      return await work();
    });
    line.last = done.then(
      () => (line.waiting -= 1),
      () => (line.waiting -= 1),
    );
    return done;
  };
}

async function token(line: Line, now: () => number): Promise<void> {
  const time = now();
  line.tokens = Math.min(burst, line.tokens + (time - line.at) / refillMs);
  line.at = time;
  if (line.tokens < 1) {
    await new Promise<void>((resolve) => setTimeout(resolve, (1 - line.tokens) * refillMs).unref());
    line.tokens = 1;
    line.at = now();
  }
  line.tokens -= 1;
}
