import type { AnyJson, Api } from "../../tests/acceptance/harness/api.ts";
import type { Berth } from "../../tests/acceptance/harness/berth.ts";
import { bash, makeSession, steps } from "../../tests/acceptance/harness/fixtures.ts";
import { readFrames } from "../../tests/acceptance/harness/stream.ts";
import { cpuTimes } from "../cpu-time.ts";
import type { Figure } from "../figure.ts";

const SHORT = 100;
const LONG = 10_000;
const TURNS = 25;
const CALLS = 10;
/** The largest number of messages in a request. */
const MESSAGES = 50;

/**
 * Measures the service's CPU time for a turn, a tool call, and a model request with one call, in a session
 * with a long log. The peer is one with a short log.
 */
export async function growthFigures(berth: Berth, api: Api): Promise<Figure[]> {
  const short = await measure(berth, api, SHORT);
  const long = await measure(berth, api, LONG);
  const figure = (what: string, name: keyof typeof short): Figure => ({
    what: `CPU time of ${what}, ${LONG} events in the log`,
    peer: `the same with ${SHORT}`,
    unit: "ms",
    value: long[name],
    peerValue: short[name],
  });
  return [
    figure("a turn that says a word", "turn"),
    figure("a tool call", "call"),
    figure("a model request and its tool call", "request"),
  ];
}

/**
 * Returns the CPU milliseconds of all processes for one turn, for one of many calls in a model request, and
 * for a request with a single call.
 */
async function measure(
  berth: Berth,
  api: Api,
  events: number,
): Promise<Record<"turn" | "call" | "request", number>> {
  const session = new FollowedSession(api, (await makeSession(api)).id);
  const many = Array.from({ length: MESSAGES }, () => steps({ say: "." }));
  while (session.events < events) await session.turn(many);
  await session.turn([steps(bash("true"))]);
  const turn = await cpuOf(berth, () => session.turn([steps({ say: "." })]));
  const calls = Array.from({ length: CALLS }, () => bash("true"));
  const withCalls = await cpuOf(berth, () => session.turn([steps({ tools: calls })]));
  const withRequests = await cpuOf(berth, () => session.turn([steps(...calls)]));
  session.leave();
  return { turn, call: (withCalls - turn) / CALLS, request: (withRequests - turn) / CALLS };
}

/** A session with one reader of its stream. */
class FollowedSession {
  /** The number of events that the reader has received. */
  events = 0;
  readonly #api: Api;
  readonly #id: string;
  readonly #stop = new AbortController();
  readonly #stream: AsyncGenerator<{ data: AnyJson }>;

  constructor(api: Api, id: string) {
    this.#api = api;
    this.#id = id;
    this.#stream = readFrames(api, id, { query: "from=start", signal: this.#stop.signal });
  }

  /** Sends the messages, and resolves when their turn has ended. */
  async turn(events: AnyJson[]): Promise<void> {
    await this.#api.ok("POST", `/sessions/${this.#id}/events`, { events });
    for (;;) {
      const { value } = await this.#stream.next();
      this.events += 1;
      if (value?.data.type === "session.status_idle") return;
    }
  }

  leave(): void {
    this.#stop.abort();
  }
}

/** Returns the CPU milliseconds of one run. */
async function cpuOf(berth: Berth, run: () => Promise<void>): Promise<number> {
  const before = total(berth);
  for (let done = 0; done < TURNS; done++) await run();
  return (total(berth) - before) / 1_000 / TURNS;
}

function total(berth: Berth): number {
  return Object.values(cpuTimes(berth.pid)).reduce((sum, time) => sum + time, 0);
}
