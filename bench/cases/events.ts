import type { AnyJson, Api } from "../../tests/acceptance/harness/api.ts";
import { makeSession, steps } from "../../tests/acceptance/harness/fixtures.ts";
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
 * Time from the POST of a message to its echo in the event stream, and to the event that reports the start of the loop, both as
 * a client receives them. The peer is the POST itself, which is one durable append.
 */
export async function eventFigures(api: Api): Promise<Figure[]> {
  const session = await makeSession(api);
  const stop = new AbortController();
  const stream = readFrames(api, session.id, { query: "from=start", signal: stop.signal });
  const laps: Lap[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round++) laps.push(await lap(api, session.id, stream));
  stop.abort();
  const counted = laps.slice(WARM_UP_ROUNDS);
  const peerValue = median(counted.map(({ acknowledged }) => acknowledged));
  const figure = (what: string, values: number[]): Figure => ({
    what,
    peer: "POST of one event (a durable append)",
    unit: "ms",
    value: median(values),
    p95: percentile(values, 0.95),
    peerValue,
    note: "measured from the start of the POST",
  });
  return [
    figure(
      "event → SSE",
      counted.map(({ echoed }) => echoed),
    ),
    figure(
      "append → loop start",
      counted.map(({ started }) => started),
    ),
  ];
}

async function lap(api: Api, session: string, stream: AsyncGenerator<{ data: AnyJson }>): Promise<Lap> {
  const begun = performance.now();
  const since = () => performance.now() - begun;
  let acknowledged = 0;
  const sent = api.ok("POST", `/sessions/${session}/events`, { events: [steps({ say: "." })] }).then(() => {
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
