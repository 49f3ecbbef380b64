import { randomBytes } from "node:crypto";
import type { Neighbours, Notice } from "@berth/store/notify";

/** Calls by which the processes of one service exchange notices. */
export type NoticeCalls = { notice(given: Notice): void };

type Listener = (notice: Notice) => void;

/** Forwards each process's notices to all others, in the main process of a service. */
export class NoticeRelay {
  readonly service = randomBytes(6).toString("hex");
  readonly #listeners = new Set<Listener>();

  /** Neighbours of the main process itself. */
  readonly neighbours: Neighbours = this.#place();

  /** Adds a child process; `tell` sends it a notice. Returns the listener for notices from it. */
  add(tell: Listener): Listener {
    const place = this.#place();
    place.listen(tell);
    return place.tell;
  }

  #place(): Neighbours {
    const own = new Set<Listener>();
    return {
      service: this.service,
      tell: (notice) => {
        for (const listener of this.#listeners) if (!own.has(listener)) listener(notice);
      },
      listen: (listener) => {
        own.add(listener);
        this.#listeners.add(listener);
        return () => {
          own.delete(listener);
          this.#listeners.delete(listener);
        };
      },
    };
  }
}

/**
 * Returns neighbours that a child process reaches through its parent. Call `heard` for each notice from it.
 */
export function neighboursBehind(tell: Listener): { of(service: string): Neighbours; heard: Listener } {
  const listeners = new Set<Listener>();
  return {
    heard: (notice) => {
      for (const listener of listeners) listener(notice);
    },
    of: (service) => ({
      service,
      tell,
      listen: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
  };
}
