import { errors } from "../errors/catalogue.ts";
import { LIMITS, type LimitValues } from "./limit-names.ts";
import { networksOf } from "./networks-of.ts";
import type { Rates } from "./rates.ts";
import { RecentNames } from "./recent-names.ts";
import { RequestRates } from "./request-rates.ts";

/**
 * Limits the requests of one client address without a token, or with one that the service has not accepted
 * before. Nobody can thus try tokens, or keep the database busy with them. Clients with accepted tokens at
 * the same address are not affected.
 */
export class AddressRates {
  readonly #limits: LimitValues;
  readonly #rates: Rates;
  /** Hashes of tokens that this process has accepted. */
  readonly #known = new RecentNames();
  /** First look-ups in progress, by token hash. */
  readonly #first = new Map<string, Promise<void>>();

  /**
   * @param limits `requests_per_second` and `request_burst`; without the first, nothing is limited.
   * @param rates Counts the requests. Default: for this process alone.
   */
  constructor(limits: LimitValues = {}, rates: Rates = new RequestRates()) {
    this.#limits = limits;
    this.#rates = rates;
  }

  /**
   * Looks up a token, and counts the request unless the token is known. Requests with the same token that
   * arrive during its first look-up wait, and count only if it was rejected.
   * @param address The client's address. IPv6 addresses of one network count together; see `networksOf`.
   * @param look Rejects when the token is not valid.
   * @throws errors.overLimit with `retry-after`.
   */
  async lookUp<Found>(address: string, hash: Buffer, look: () => Promise<Found>): Promise<Found> {
    if (this.#limits.requests_per_second == null) return await look();
    const name = hash.toString("base64");
    if (!this.#known.has(name)) {
      const first = this.#first.get(name);
      if (first === undefined) return await this.#asFirst(name, this.#countAndLook(address, name, look));
      await first;
      if (!this.#known.has(name)) return await this.#countAndLook(address, name, look);
    }
    const found = await look();
    this.#known.add(name);
    return found;
  }

  async #asFirst<Found>(name: string, looked: Promise<Found>): Promise<Found> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#first.set(name, promise);
    try {
      return await looked;
    } finally {
      this.#first.delete(name);
      resolve();
    }
  }

  async #countAndLook<Found>(address: string, name: string, look: () => Promise<Found>): Promise<Found> {
    await this.#count(address, "with unknown tokens", name);
    const found = await look();
    await this.#rates.exempt(name);
    this.#known.add(name);
    return found;
  }

  /**
   * Counts a request of an operation that needs no token.
   * @throws as `lookUp`.
   */
  async takeWithoutToken(address: string): Promise<void> {
    await this.#count(address, "without a token");
  }

  async #count(address: string, what: string, name?: string): Promise<void> {
    const { requests_per_second: perSecond, request_burst: burst } = this.#limits;
    if (perSecond == null) return;
    const rates = networksOf(address).map(({ id, factor }) => ({
      id,
      perSecond: perSecond * factor,
      burst: Math.max(1, burst ?? perSecond) * factor,
    }));
    const over = await this.#rates.take(rates, name);
    if (over === null) return;
    const seconds = over.waitMs === Infinity ? null : Math.max(1, Math.ceil(over.waitMs / 1_000));
    throw errors.overLimit(
      "client address's",
      `${over.rate.perSecond} ${LIMITS.requests_per_second} ${what}`,
      seconds,
      "address_requests",
    );
  }
}
