import { randomBytes } from "node:crypto";
import type { Neighbours, Notice } from "@berth/store/notify";

/** What processes of one service tell each other. */
export type NoticeCalls = { notice(given: Notice): void };

type Listener = (notice: Notice) => void;

/** In the main process of a service: passes on what any of its processes tells. */
export class NoticeRelay {
  readonly service = randomBytes(6).toString("hex");
  readonly #listeners = new Set<Listener>();

  /** For the main process itself. */
  readonly neighbours: Neighbours = this.#place();

  /** For a child process: `tell` sends it a notice. Returns what to do with a notice of it. */
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

/** In a child process: its neighbours are behind its parent. `heard` is to be called for each notice of it. */
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
