import { type BareNamespace, makeNamespace, releaseNamespace } from "./make-namespace.ts";

/** Namespaces made ahead, because making one takes a tenth of a second. */
export class NamespacePool {
  readonly #size: number;
  readonly #ready: Promise<BareNamespace>[] = [];
  #closed = false;

  constructor(size: number) {
    this.#size = size;
    this.#fill();
  }

  /** Rejects when this machine cannot make one. */
  async take(): Promise<BareNamespace> {
    if (this.#closed) throw new Error("The egress is closed.");
    const namespace = this.#ready.shift() ?? makeNamespace();
    this.#fill();
    return namespace;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const made of await Promise.allSettled(this.#ready.splice(0))) {
      if (made.status === "fulfilled") releaseNamespace(made.value);
    }
  }

  #fill(): void {
    while (!this.#closed && this.#ready.length < this.#size) {
      const making = makeNamespace();
      making.catch(() => {});
      this.#ready.push(making);
    }
  }
}
