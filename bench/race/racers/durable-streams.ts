import { cp } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../../../tests/acceptance/harness/free-port.ts";
import { requestText } from "../../load.ts";
import { post } from "../post.ts";
import { startProgram } from "../program.ts";
import type { Lap, Place, Racer, Work } from "../racer.ts";
import { serverEvents } from "../server-events.ts";

const VERSION = "0.3.7";
const SERVER = join(import.meta.dirname, "../programs/stream-server.mjs");

/** Streams alone: it can neither list them nor run a loop. */
export const DURABLE_STREAMS: Racer = {
  name: `durable-streams ${VERSION}`,
  durable: "yes: on the disk before the answer",
  packages: [`@durable-streams/server@${VERSION}`],
  async start({ installed, store }: Place) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const server = join(installed, "server.mjs");
    await cp(SERVER, server);
    const { pid, stop } = await startProgram([process.execPath, server], {
      cwd: store,
      env: { PORT: `${port}`, STORE: store },
      url: `${url}/first?offset=-1`,
    });
    return { url, pid, stop, work: () => work(url) };
  },
};

async function work(url: string): Promise<Work> {
  const stop = new AbortController();
  const stream = serverEvents(await fetch(`${url}/first?offset=-1&live=sse`, { signal: stop.signal }));
  let made = 0;
  return {
    create: () => requestText({ url }, "PUT", `/streams/${++made}`, []),
    list: null,
    turn: () => turn(`${url}/first`, stream),
    end: () => stop.abort(),
  };
}

async function turn(url: string, stream: ReturnType<typeof serverEvents>): Promise<Lap> {
  const sent = performance.now();
  const posted = post(url, { text: "Go on." });
  while ((await stream.next()).value?.event !== "data");
  const echoed = performance.now() - sent;
  await posted;
  return { echoed, began: null, ended: null };
}
