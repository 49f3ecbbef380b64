import { errors } from "../errors/catalogue.ts";
import { LIMITS, type LimitValues } from "./limit-names.ts";
import { networkOf } from "./network-of.ts";
import type { Rates } from "./rates.ts";
import { RecentNames } from "./recent-names.ts";
import { RequestRates } from "./request-rates.ts";

/**
 * How many requests of one client address may have no token, or one that the service has not accepted before. So nobody can try tokens, or
 * keep the database busy with them, and those who share the address with such a client go on.
 */
export class AddressRates {
  readonly #limits: LimitValues;
  readonly #rates: Rates;
  /** Hashes of tokens that this process has accepted. */
  readonly #known = new RecentNames();

  /**
   * @param limits `requests_per_second` and `request_burst`; without the first nothing is limited.
   * @param rates what counts. Default: for this process alone.
   */
  constructor(limits: LimitValues = {}, rates: Rates = new RequestRates()) {
    this.#limits = limits;
    this.#rates = rates;
  }

  /**
   * Counts a request, unless its token is known.
   *
   * @param address of the client; of IPv6, all of one network of 64 bits count together.
   * @throws errors.overLimit with `retry-after`.
   */
  async take(address: string, hash: Buffer): Promise<void> {
    const name = nameOf(hash);
    if (!this.#known.has(name)) await this.#count(address, "with unknown tokens", name);
  }

  /** Counts a request of an operation that needs no token. @throws as `take`. */
  async takeWithoutToken(address: string): Promise<void> {
    await this.#count(address, "without a token");
  }

  async #count(address: string, what: string, name?: string): Promise<void> {
    const { requests_per_second: perSecond, request_burst: burst } = this.#limits;
    if (perSecond == null) return;
    const rate = { id: networkOf(address), perSecond, burst: Math.max(1, burst ?? perSecond) };
    const over = await this.#rates.take([rate], name);
    if (over === null) return;
    const seconds = over.waitMs === Infinity ? null : Math.max(1, Math.ceil(over.waitMs / 1_000));
    throw errors.overLimit("client address's", `${perSecond} ${LIMITS.requests_per_second} ${what}`, seconds);
  }

  /** The token of this hash is valid. */
  async accept(hash: Buffer): Promise<void> {
    if (this.#limits.requests_per_second == null) return;
    const name = nameOf(hash);
    if (!this.#known.has(name)) await this.#rates.exempt(name);
    this.#known.add(name);
  }
}

function nameOf(hash: Buffer): string {
  return hash.toString("base64");
}
