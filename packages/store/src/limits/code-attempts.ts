import { errors } from "../errors/catalogue.ts";
import { networksOf } from "./networks-of.ts";
import type { Rates } from "./rates.ts";

/** Rate of one user: a burst larger than anybody with a code needs, then one try in six seconds. */
const OF_USER = { perSecond: 1 / 6, burst: 20 };
/** Rate of one address, which several users may share. */
const OF_ADDRESS = { perSecond: 1, burst: 100 };

/** Limits how many short codes a user, or the clients of one address, can try. */
export class CodeAttempts {
  readonly #rates: Rates;

  constructor(rates: Rates) {
    this.#rates = rates;
  }

  /**
   * Counts a try, right or wrong.
   * @throws errors.overLimit with `retry-after`.
   */
  async take(userId: string, address: string): Promise<void> {
    const user = { id: `user ${userId}`, whose: "user's", ...OF_USER };
    const clients = networksOf(address).map(({ id, factor }) => ({
      id: `address ${id}`,
      whose: "client address's",
      perSecond: OF_ADDRESS.perSecond * factor,
      burst: OF_ADDRESS.burst * factor,
    }));
    const over = await this.#rates.take([user, ...clients]);
    if (over === null) return;
    const seconds = Math.max(1, Math.ceil(over.waitMs / 1_000));
    throw errors.overLimit(
      over.rate.whose,
      `${over.rate.burst} attempts at user codes at once`,
      seconds,
      "user_codes",
    );
  }
}
