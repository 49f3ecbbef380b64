import type { HostName } from "./host-name.ts";

/** So many names can one namespace resolve; more than any honest use, fewer than would cost memory. */
const maximumNames = 10_000;

/**
 * Addresses in 198.18.0.0/15 (set aside for tests, never routed) that stand for names inside one namespace. The
 * address that a connection was made to tells which name it was made for.
 */
export class SyntheticAddresses {
  readonly #addresses = new Map<HostName, string>();
  readonly #names = new Map<string, HostName>();

  /** The same address for the same name; null when there are too many. */
  addressOf(name: HostName): string | null {
    const known = this.#addresses.get(name);
    if (known !== undefined || this.#addresses.size >= maximumNames) return known ?? null;
    const number = this.#addresses.size + 1;
    const address = `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
    this.#addresses.set(name, address);
    this.#names.set(address, name);
    return address;
  }

  nameOf(address: string): HostName | null {
    return this.#names.get(address) ?? null;
  }
}
