import type { HostName } from "../names/host-name.ts";

/** So many names does one namespace remember; more than any honest use at a time, fewer than would cost memory. */
const maximumNames = 10_000;
/** Addresses in 198.18.0.0/15 but the first and the last. */
const maximumAddresses = (1 << 17) - 2;

/**
 * Addresses in 198.18.0.0/15 (set aside for tests, never routed) that stand for names inside one namespace. The
 * address that a connection was made to tells which name it was made for. Of too many names, those that were asked for
 * longest ago are forgotten, and their addresses stand for nothing for a long while.
 */
export class SyntheticAddresses {
  /** In the order in which they were last asked for. */
  readonly #addresses = new Map<HostName, string>();
  readonly #names = new Map<string, HostName>();
  #given = 0;

  /** The same address for the same name, as long as it is remembered. */
  addressOf(name: HostName): string {
    const address = this.#addresses.get(name) ?? this.#nextAddress();
    this.#addresses.delete(name);
    this.#addresses.set(name, address);
    this.#names.set(address, name);
    if (this.#addresses.size > maximumNames) this.#forgetOldest();
    return address;
  }

  nameOf(address: string): HostName | null {
    return this.#names.get(address) ?? null;
  }

  /** One that stands for nothing now. There are many more addresses than names that are remembered. */
  #nextAddress(): string {
    for (;;) {
      const number = (this.#given % maximumAddresses) + 1;
      this.#given += 1;
      const address = `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
      if (!this.#names.has(address)) return address;
    }
  }

  #forgetOldest(): void {
    for (const [name, address] of this.#addresses) {
      this.#addresses.delete(name);
      this.#names.delete(address);
      return;
    }
  }
}
