/** A rate that a request counts against. */
export interface Rate {
  /** Id of the subject. */
  id: string;
  perSecond: number;
  /** Number of requests that may come at once. */
  burst: number;
}

/** The rate that is exceeded, and the milliseconds after which a request may succeed. */
export interface OverRate<R extends Rate> {
  rate: R;
  waitMs: number;
}

/** Counts requests. */
export interface Rates {
  /**
   * Counts a request against all rates, or against none if one is exceeded. Returns that one, or null.
   * @param name Name of the requester; an exempt one is not counted.
   */
  take<R extends Rate>(rates: readonly R[], name?: string): OverRate<R> | null | Promise<OverRate<R> | null>;
  /** Exempts requests by this name from counting. The last 10,000 names are remembered. */
  exempt(name: string): unknown;
}

/** Rates for each kind of limit, which count separately, so that no kind can evict the counts of another. */
export interface RateGroups {
  /** Rates of organizations and users. */
  owners: Rates;
  /** Rates of client addresses. */
  addresses: Rates;
  /** Rates of tries of user codes. */
  codes: Rates;
}
