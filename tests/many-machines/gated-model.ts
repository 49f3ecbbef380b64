import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { respondDone } from "../acceptance/harness/chat-endpoint.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";

/** A Chat Completions provider on loopback that holds each request until released. A turn has one request. */
export interface GatedModel {
  /** `http://ADDRESS:PORT/v1` */
  url: string;
  /** The marks of all requests in order of arrival. A mark is the `<mark>` in a request's last message. */
  began: readonly string[];
  /** Returns the marks of the held requests. */
  waiting(): string[];
  /** Resolves when `count` requests have arrived. */
  until(count: number): Promise<void>;
  /** Responds to the oldest held request whose mark begins with `mark`. */
  release(mark: string): void;
  /** Responds to all held and future requests, except those whose mark begins with `except`. */
  open(except: string): void;
  close(): void;
}

export async function startGatedModel(): Promise<GatedModel> {
  const began: string[] = [];
  let held: { mark: string; response: ServerResponse }[] = [];
  let except = "";
  const server = createServer(async (request, response) => {
    const [, mark = ""] = [...JSON.stringify(await json(request)).matchAll(/<(\w+)>/g)].at(-1) ?? [];
    began.push(mark);
    held.push({ mark, response });
    if (!mark.startsWith(except)) release(mark);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  function release(prefix: string): void {
    const found = held.find(({ mark }) => mark.startsWith(prefix));
    if (found === undefined) throw new Error(`No request waits whose mark begins with ${prefix}.`);
    held = held.filter((one) => one !== found);
    respondDone(found.response);
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    began,
    waiting: () => held.map(({ mark }) => mark),
    until: (count) =>
      waitUntil(
        () => began.length >= count,
        () => `${began.length} of ${count} turns began`,
      ),
    release,
    open(prefix) {
      except = prefix;
      for (const { mark } of [...held]) if (!mark.startsWith(prefix)) release(mark);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
