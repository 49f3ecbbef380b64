import type { Api, Wire } from "../../tests/acceptance/harness/api.ts";
import { makeSession, steps } from "../../tests/acceptance/harness/fixtures.ts";
import { frames } from "../../tests/acceptance/harness/stream.ts";
import { type Figure, median, percentile } from "../figure.ts";

const rounds = 60;

interface Lap {
  acknowledged: number;
  echoed: number;
  started: number;
}

/**
 * From the acknowledgement of a message to its echo in the stream, and to the event that says that the loop has started,
 * both as a follower gets them; beside the POST itself, which is one durable append.
 */
export async function eventFigures(api: Api): Promise<Figure[]> {
  const session = await makeSession(api);
  const stop = new AbortController();
  const stream = frames(api, session.id, { query: "from=start", signal: stop.signal });
  const laps: Lap[] = [];
  for (let round = 0; round < rounds + 5; round++) laps.push(await lap(api, session.id, stream));
  stop.abort();
  const counted = laps.slice(5);
  const peerValue = median(counted.map(({ acknowledged }) => acknowledged));
  const figure = (what: string, values: number[]): Figure => ({
    what,
    peer: "POST of one event (a durable append)",
    unit: "ms",
    value: median(values),
    p95: percentile(values, 0.95),
    peerValue,
    note: "both from the moment of the POST",
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

async function lap(api: Api, session: string, stream: AsyncGenerator<{ data: Wire }>): Promise<Lap> {
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
