import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Api } from "../../tests/acceptance/harness/api.ts";
import type { Berth } from "../../tests/acceptance/harness/berth.ts";
import { makeSession } from "../../tests/acceptance/harness/fixtures.ts";
import { type Figure, percentile } from "../figure.ts";
import type { ReadersTask } from "../stream-readers.ts";

const READERS = 100;
const GENTLE = { events: 150, everyMs: 40 };
const FLOOD = { posts: 2_000, callers: 32 };

/** The URLs for sending and reading events, and the process that delivers them. */
interface Stream {
  send: string;
  read: string;
  headers: Record<string, string>;
  pid: number;
}

/**
 * Measures one stream with many readers, at a low rate and at the highest accepted rate. The peer is
 * `node:http`, which writes all input to every reader. Times are from before the POST to the arrival in
 * another process.
 */
export async function readerFigures(berth: Berth, api: Api): Promise<Figure[]> {
  const program = fork(join(import.meta.dirname, "../bare-stream.ts"));
  const [port] = (await once(program, "message")) as [number];
  const url = `http://127.0.0.1:${port}`;
  const events = api.address(`/sessions/${(await makeSession(api)).id}/events`);
  const headers = { authorization: `Bearer ${api.token}` };
  try {
    const bare = await measure({ send: url, read: url, headers: {}, pid: program.pid ?? 0 });
    const own = await measure({ send: events, read: `${events}/stream`, headers, pid: berth.pid });
    return figures(own, bare);
  } finally {
    program.disconnect();
  }
}

type Measured = Awaited<ReturnType<typeof measure>>;

function figures(own: Measured, bare: Measured): Figure[] {
  const peer = "bare `node:http` without a store";
  const cpu = (name: "gentle" | "flood") =>
    `${own[name].cpuMicros.toFixed(1)} µs CPU of the API a delivery, the peer's ${bare[name].cpuMicros.toFixed(1)}`;
  return [
    {
      what: `POST → arrival at each of ${READERS} readers, 25 events/s`,
      peer,
      unit: "ms",
      value: percentile(own.gentle.delays, 0.5),
      p95: percentile(own.gentle.delays, 0.95),
      peerValue: percentile(bare.gentle.delays, 0.5),
      note: `p99 ${percentile(own.gentle.delays, 0.99).toFixed(1)} ms; ${cpu("gentle")}`,
    },
    {
      what: `deliveries to ${READERS} readers, as fast as events are accepted`,
      peer,
      unit: "/s",
      value: own.flood.perSecond,
      peerValue: bare.flood.perSecond,
      note: cpu("flood"),
    },
  ];
}

async function measure(stream: Stream) {
  const readers = fork(join(import.meta.dirname, "../stream-readers.ts"), { serialization: "advanced" });
  const task: ReadersTask = { url: stream.read, headers: stream.headers, readers: READERS };
  readers.send(task);
  await once(readers, "message");
  try {
    await flood(stream, readers, 20);
    const gentle = await gently(stream, readers);
    return { gentle, flood: await flood(stream, readers, FLOOD.posts) };
  } finally {
    readers.disconnect();
  }
}

async function gently(stream: Stream, readers: ChildProcess) {
  return await counted(stream, readers, GENTLE.events, async () => {
    const sent: Promise<void>[] = [];
    for (let event = 0; event < GENTLE.events; event++) {
      sent.push(send(stream));
      await pause(GENTLE.everyMs);
    }
    await Promise.all(sent);
  });
}

async function flood(stream: Stream, readers: ChildProcess, posts: number) {
  let left = posts;
  return await counted(stream, readers, posts, async () => {
    const caller = async () => {
      while (left-- > 0) await send(stream);
    };
    await Promise.all(Array.from({ length: FLOOD.callers }, caller));
  });
}

/** Measures the time until each event has reached each reader. */
async function counted(stream: Stream, readers: ChildProcess, events: number, work: () => Promise<void>) {
  const begun = performance.now();
  const before = cpuMicros(stream.pid);
  readers.send(events * READERS);
  const reported = once(readers, "message");
  await work();
  const [received] = (await reported) as [Float64Array];
  const seconds = (performance.now() - begun) / 1000;
  return {
    delays: [...received],
    perSecond: received.length / seconds,
    cpuMicros: (cpuMicros(stream.pid) - before) / received.length,
  };
}

async function send({ send, headers }: Stream): Promise<void> {
  const text = `sent ${process.hrtime.bigint()}`;
  const event = { type: "system.message", content: [{ type: "text", text }] };
  const response = await fetch(send, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ events: [event] }),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`The response has status ${response.status}.`);
}

/** Returns the CPU time of a process in microseconds; the kernel counts it in hundredths of a second. */
function cpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
