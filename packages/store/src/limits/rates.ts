/** A rate that a request counts against. */
export interface Rate {
  /** Of the subject. */
  id: string;
  perSecond: number;
  /** How many may come at once. */
  burst: number;
}

/** The rate that is over, and after how many milliseconds a request may succeed. */
export interface OverRate<R extends Rate> {
  rate: R;
  waitMs: number;
}

/** What counts requests: for this process alone (`RequestRates`), or for all API processes of the service (`SharedRates`). */
export interface Rates {
  /**
   * Counts a request against all rates, or against none, and returns one that is over.
   *
   * @param name of whoever asks. One that is exempt is not counted.
   */
  take<R extends Rate>(rates: readonly R[], name?: string): OverRate<R> | null | Promise<OverRate<R> | null>;
  /** Requests by this name are not counted from now on. Of the last 10,000 names. */
  exempt(name: string): unknown;
}

/** Each kind of limit counts for itself, so that no kind can push out what another has counted. */
export interface RateGroups {
  /** Of organizations and users. */
  owners: Rates;
  /** Of client addresses. */
  addresses: Rates;
  /** Of tries of user codes. */
  codes: Rates;
}
