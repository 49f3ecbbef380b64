export interface SingleFlightOptions<Input> {
  /** Returns the key of a call; calls with equal keys are shared. Default: all calls share one key. */
  key?: (input: Input) => string;
  /** Milliseconds for which a running call delays the next one. Default: until it settles. */
  maxWaitMs?: number;
  /**
   * Whether a call starts one microtask late, shared by callers that arrive before it starts. Default: false.
   */
  joinSameTick?: boolean;
}

interface Flight<Output> {
  started: boolean;
  current: Promise<Output>;
  next: Promise<Output> | null;
}

/**
 * Runs `call` for one caller at a time per key. Callers that arrive while a call runs share the next one. No
 * caller gets the result of a call that began earlier than its request, and at most one call is queued.
 */
export function singleFlight<Input, Output>(
  call: (input: Input) => Promise<Output>,
  { key = () => "", maxWaitMs, joinSameTick = false }: SingleFlightOptions<Input> = {},
): (input: Input) => Promise<Output> {
  const flights = new Map<string, Flight<Output>>();

  function start(id: string, input: Input): Promise<Output> {
    const flight = { started: !joinSameTick, next: null } as Flight<Output>;
    flights.set(id, flight);
    flight.current = joinSameTick
      ? Promise.resolve().then(() => {
          flight.started = true;
          return call(input);
        })
      : call(input);
    const land = () => {
      if (flights.get(id) === flight && flight.next === null) flights.delete(id);
    };
    flight.current.then(land, land);
    return flight.current;
  }

  return (input) => {
    const id = key(input);
    const flight = flights.get(id);
    if (flight === undefined) return start(id, input);
    if (!flight.started) return flight.current;
    flight.next ??= settledOrLate(flight.current, maxWaitMs).then(() => start(id, input));
    return flight.next;
  };
}

function settledOrLate(promise: Promise<unknown>, maxWaitMs: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = maxWaitMs === undefined ? undefined : setTimeout(resolve, maxWaitMs);
    const settle = () => {
      clearTimeout(timer);
      resolve();
    };
    promise.then(settle, settle);
  });
}
