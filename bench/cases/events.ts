import type { AnyJson, Api, Json } from "../../tests/acceptance/harness/api.ts";
import { bash, makeSession, steps } from "../../tests/acceptance/harness/fixtures.ts";
import { readFrames } from "../../tests/acceptance/harness/stream.ts";
import { type Figure, median, percentile } from "../figure.ts";

const ROUNDS = 60;
const WARM_UP_ROUNDS = 5;

/** Milliseconds since the start of the POST. */
interface Lap {
  acknowledged: number;
  echoed: number;
  started: number;
}

/**
 * Measures from the POST of a message to its echo in the event stream, and to the event that reports the
 * start of the loop. Both times are those at a client. The peer is the POST itself, which is one durable
 * append.
 */
export async function eventFigures(api: Api): Promise<Figure[]> {
  const cold = await laps(api, [{ say: "." }]);
  const warm = await laps(api, [bash("true")]);
  return [
    figure("event → SSE", cold, ({ echoed }) => echoed),
    figure("append → loop start", cold, ({ started }) => started),
    figure("the same, sandbox open", warm, ({ started }) => started),
    {
      ...figure("the same, sandbox open", warm, ({ started, acknowledged }) => started - acknowledged),
      note: "measured from the acknowledgement",
    },
  ];
}

function figure(what: string, counted: readonly Lap[], value: (one: Lap) => number): Figure {
  const values = counted.map(value);
  return {
    what,
    peer: "POST of one event (a durable append)",
    unit: "ms",
    value: median(values),
    p95: percentile(values, 0.95),
    peerValue: median(counted.map(({ acknowledged }) => acknowledged)),
    note: "measured from the start of the POST",
  };
}

/** Measures laps. @param first steps of the turn before them. */
async function laps(api: Api, first: readonly Json[]): Promise<Lap[]> {
  const session = await makeSession(api);
  const stop = new AbortController();
  const stream = readFrames(api, session.id, { query: "from=start", signal: stop.signal });
  await lap(api, session.id, stream, first);
  const all: Lap[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round++)
    all.push(await lap(api, session.id, stream, [{ say: "." }]));
  stop.abort();
  return all.slice(WARM_UP_ROUNDS);
}

async function lap(
  api: Api,
  session: string,
  stream: AsyncGenerator<{ data: AnyJson }>,
  said: readonly Json[],
): Promise<Lap> {
  const begun = performance.now();
  const since = () => performance.now() - begun;
  let acknowledged = 0;
  const sent = api.ok("POST", `/sessions/${session}/events`, { events: [steps(...said)] }).then(() => {
    acknowledged = since();
  });
  const result = { echoed: 0, started: 0 };
  for (;;) {
    const { value } = await stream.next();
    const type = value?.data.type;
    if (type === "user.message") result.echoed = since();
    if (type === "session.status_running") result.started = since();
    if (type === "session.status_idle") break;
  }
  await sent;
  return { acknowledged, ...result };
}
