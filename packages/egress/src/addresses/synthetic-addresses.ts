import { randomInt } from "node:crypto";
import type { HostName } from "../names/host-name.ts";

/** Maximum number of names remembered per namespace, which bounds memory. Honest programs use fewer. */
const MAX_NAMES = 10_000;
/** Number of addresses in 198.18.0.0/15, without the first and the last. */
const ADDRESS_COUNT = (1 << 17) - 2;

/**
 * Maps names to addresses in 198.18.0.0/15 (reserved for tests, never routed), so that the address of a
 * connection identifies the name that it was made for. The least recently requested names are evicted; their
 * addresses are not reused until all others have been assigned.
 */
export class SyntheticAddresses {
  /** Ordered by last request, oldest first. */
  readonly #addresses = new Map<HostName, string>();
  readonly #names = new Map<string, HostName>();
  #given: number;

  /** @param given Number of addresses that count as used. Default: 0. */
  constructor(given = 0) {
    this.#given = given;
  }

  /** Creates a map that starts at a random address, so that it hardly repeats addresses of an earlier map. */
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

  /** Returns an unused address. Terminates, since there are many more addresses than names. */
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
