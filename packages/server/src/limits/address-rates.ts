import { errors } from "../errors/catalogue.ts";
import { LIMITS, type LimitValues } from "./limit-names.ts";
import { networkOf } from "./network-of.ts";
import { RequestRates } from "./request-rates.ts";

const MAX_KNOWN = 10_000;

/**
 * How many requests of one client address may have no token, or one that this process has not accepted before. So nobody can try tokens, or
 * keep the database busy with them, and those who share the address with such a client go on.
 */
export class AddressRates {
  readonly #limits: LimitValues;
  readonly #rates: RequestRates;
  /** Hashes of accepted tokens, the last one that came last. */
  readonly #known = new Set<string>();

  /**
   * @param limits `requests_per_second` and `request_burst`; without the first nothing is limited.
   * @param now milliseconds of a clock that only goes forward.
   */
  constructor(limits: LimitValues = {}, now?: () => number) {
    this.#limits = limits;
    this.#rates = new RequestRates(now);
  }

  /**
   * Counts a request, unless its token is known.
   *
   * @param address of the client; of IPv6, all of one network of 64 bits count together.
   * @throws errors.overLimit with `retry-after`.
   */
  take(address: string, hash: Buffer): void {
    if (!this.#known.has(nameOf(hash))) this.#count(address, "with unknown tokens");
  }

  /** Counts a request of an operation that needs no token. @throws as `take`. */
  takeWithoutToken(address: string): void {
    this.#count(address, "without a token");
  }

  #count(address: string, what: string): void {
    const { requests_per_second: perSecond, request_burst: burst } = this.#limits;
    if (perSecond == null) return;
    const rate = { id: networkOf(address), perSecond, burst: Math.max(1, burst ?? perSecond) };
    const over = this.#rates.take([rate]);
    if (over === null) return;
    const seconds = over.waitMs === Infinity ? null : Math.max(1, Math.ceil(over.waitMs / 1_000));
    throw errors.overLimit("client address's", `${perSecond} ${LIMITS.requests_per_second} ${what}`, seconds);
  }

  /** The token of this hash is valid. */
  accept(hash: Buffer): void {
    if (this.#limits.requests_per_second == null) return;
    const name = nameOf(hash);
    this.#known.delete(name);
    this.#known.add(name);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

function nameOf(hash: Buffer): string {
  return hash.toString("base64");
}
