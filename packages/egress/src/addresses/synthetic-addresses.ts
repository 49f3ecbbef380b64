import { randomInt } from "node:crypto";
import type { HostName } from "../names/host-name.ts";

/** Names remembered per namespace: more than any honest program uses at a time, few enough to bound memory. */
const MAX_NAMES = 10_000;
/** Addresses in 198.18.0.0/15, without the first and the last. */
const ADDRESS_COUNT = (1 << 17) - 2;

/**
 * Maps names to addresses in 198.18.0.0/15 (reserved for tests, never routed), so that the address of a connection identifies
 * the name that it was made for. Least recently requested names are evicted; their addresses are not reused for a long while.
 */
export class SyntheticAddresses {
  /** Least recently requested first. */
  readonly #addresses = new Map<HostName, string>();
  readonly #names = new Map<string, HostName>();
  #given: number;

  /** @param given how many addresses count as used. Default: none. */
  constructor(given = 0) {
    this.#given = given;
  }

  /** Begins anywhere, so that no address has another name than in a map before it. */
  static anywhere(): SyntheticAddresses {
    return new SyntheticAddresses(randomInt(ADDRESS_COUNT));
  }

  /** Returns the same address for a name until the name is evicted. */
  addressOf(name: HostName): string {
    const address = this.#addresses.get(name) ?? this.#nextAddress();
    this.#addresses.delete(name);
    this.#addresses.set(name, address);
    this.#names.set(address, name);
    if (this.#addresses.size > MAX_NAMES) this.#evictOldest();
    return address;
  }

  nameOf(address: string): HostName | null {
    return this.#names.get(address) ?? null;
  }

  /** An address that no name has. It terminates: there are many more addresses than remembered names. */
  #nextAddress(): string {
    for (;;) {
      const number = (this.#given % ADDRESS_COUNT) + 1;
      this.#given += 1;
      const address = `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
      if (!this.#names.has(address)) return address;
    }
  }

  #evictOldest(): void {
    for (const [name, address] of this.#addresses) {
      this.#addresses.delete(name);
      this.#names.delete(address);
      return;
    }
  }
}
