import type { Database } from "@berth/store/db";
import type { SessionHub } from "@berth/store/notify";
import { type ServedPreview, servedPreview } from "./served-preview-store.ts";

/** Milliseconds after which it is checked whether a preview still exists, because notifications may be lost. */
const CHECK_MS = 15_000;

interface Watched {
  ends: Set<() => void>;
  stop(): void;
}

/** Requests and web sockets in progress, which end with their preview. */
export class OpenExchanges {
  readonly #db: Database;
  readonly #hub: Pick<SessionHub, "subscribe">;
  readonly #watched = new Map<string, Watched>();

  constructor(db: Database, hub: Pick<SessionHub, "subscribe">) {
    this.#db = db;
    this.#hub = hub;
  }

  /** Calls `end` when the preview has ended or `close` is called, until the returned function is called. */
  add(preview: ServedPreview, end: () => void): () => void {
    const watched = this.#watched.get(preview.label) ?? this.#watch(preview);
    watched.ends.add(end);
    return () => {
      watched.ends.delete(end);
      if (watched.ends.size === 0) this.#stop(preview.label, watched);
    };
  }

  /** Ends all. */
  close(): void {
    for (const [label, watched] of this.#watched) this.#end(label, watched);
  }

  #watch(preview: ServedPreview): Watched {
    const { label } = preview;
    const check = async () => {
      const found = await servedPreview(this.#db.read, label).catch(() => preview);
      if (found === null) this.#end(label, watched);
    };
    const unsubscribe = this.#hub.subscribe(preview.session_id, () => void check());
    const checks = setInterval(() => void check(), CHECK_MS).unref();
    const expiry = setTimeout(() => void check(), Math.min(preview.leftMs + 1, 2 ** 31 - 1)).unref();
    const watched = {
      ends: new Set<() => void>(),
      stop() {
        unsubscribe();
        clearInterval(checks);
        clearTimeout(expiry);
      },
    };
    this.#watched.set(label, watched);
    return watched;
  }

  #end(label: string, watched: Watched): void {
    this.#stop(label, watched);
    for (const end of watched.ends) end();
  }

  #stop(label: string, watched: Watched): void {
    watched.stop();
    if (this.#watched.get(label) === watched) this.#watched.delete(label);
  }
}
