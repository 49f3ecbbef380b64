import type { Queryable } from "../db/statement.ts";
import { errors } from "../errors/catalogue.ts";
import { LIMITS, type LimitName, type LimitValues } from "./limit-names.ts";
import { readLimits } from "./limit-store.ts";
import { countedLimit, type DefaultLimits } from "./limit-values.ts";
import type { Rate, Rates } from "./rates.ts";
import { RecentUse } from "./recent-use.ts";
import { RequestRates } from "./request-rates.ts";

/** The originator of a request, as in `Principal`, or the owner of an object. */
export type Limited =
  | { organizationId: string; kind: "user" | "service_account" | "organization"; id: string }
  /** An operator belongs to no organization; each operator token has the settings' limits for one user. */
  | { kind: "operator"; id: string };

/** A limit that applies to a subject. */
export interface Limit {
  kind: Limited["kind"];
  /** uuid of the organization or user. */
  id: string;
  value: number;
}

/** Maximum age in milliseconds of the cached limits of the database. */
const FRESH_MS = 5_000;

/** More than all services can add between two counts. An owner with this much left needs no exact count. */
const MARGINS = { open_sessions: 10_000, file_bytes: 10_000_000_000 };

/**
 * Limits of organizations and users, from the settings and the database. Each process applies a change in the
 * database after about five seconds, and does not query the database in between.
 */
export class OwnerLimits {
  readonly #db: Queryable;
  readonly #defaults: DefaultLimits;
  readonly #rates: Rates;
  readonly #now: () => number;
  readonly #use: RecentUse;
  #own: ReadonlyMap<string, LimitValues> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  /**
   * @param rates Counts requests. Default: for this process alone.
   * @param now Returns milliseconds of a monotonic clock.
   */
  constructor(
    db: Queryable,
    defaults: DefaultLimits = { organization: {}, user: {} },
    rates: Rates = new RequestRates(),
    now: () => number = () => performance.now(),
  ) {
    this.#db = db;
    this.#defaults = defaults;
    this.#rates = rates;
    this.#now = now;
    this.#use = new RecentUse(now);
  }

  /**
   * Counts a request.
   * @throws errors.overLimit with `retry-after`.
   */
  async takeRequest(principal: Limited): Promise<void> {
    const rates = (await this.of(principal, "requests_per_second")).map((limit): Rate & Limit => ({
      ...limit,
      perSecond: limit.value,
      burst: Math.max(1, this.#valueOf(limit, "request_burst") ?? limit.value),
    }));
    const over = await this.#rates.take(rates);
    if (over === null) return;
    throw overLimit(over.rate, "requests_per_second", over.waitMs);
  }

  /** Returns the limits of this name that apply: the organization's, then the user's or service account's. */
  async of(limited: Limited, name: LimitName): Promise<Limit[]> {
    await this.#refresh();
    return subjectsOf(limited).flatMap((subject) => {
      const value = this.#valueOf(subject, name);
      return value === null ? [] : [{ ...subject, value }];
    });
  }

  /** Returns the limit of the settings for each organization, or for each user; null for none. */
  preset(kind: keyof DefaultLimits, name: LimitName): number | null {
    return this.#defaults[kind][name] ?? null;
  }

  /** Returns whether any subject has a limit of this name. */
  async areAny(name: LimitName): Promise<boolean> {
    await this.#refresh();
    const { organization, user } = this.#defaults;
    return [organization, user, ...this.#own.values()].some((values) => (values[name] ?? null) !== null);
  }

  /**
   * Returns the use that counts against a limit, at most two seconds old.
   * @param count Queries the database.
   */
  async recentUse({ id }: Limit, name: LimitName, count: () => Promise<number>): Promise<number> {
    return await this.#use.of(id, name, count);
  }

  /**
   * Returns whether `added` more stay far below a limit. Adding then needs no lock and no count of its own.
   * These would cost more with growing use, and make requests of an organization wait for each other.
   * @param count See `recentUse`.
   */
  async isFarFrom(
    limit: Limit,
    name: keyof typeof MARGINS,
    added: number,
    count: () => Promise<number>,
  ): Promise<boolean> {
    const most = limit.value - MARGINS[name] - added;
    return most > 0 && (await this.recentUse(limit, name, count)) <= most;
  }

  #valueOf({ kind, id }: Pick<Limit, "kind" | "id">, name: LimitName): number | null {
    const settings = this.#defaults[kind === "organization" ? kind : "user"];
    return countedLimit(name, this.#own.get(id) ?? {}, settings).value;
  }

  /**
   * Waits only for the first reading of the limits. While the database is unavailable, the last known limits
   * apply.
   */
  async #refresh(): Promise<void> {
    if (this.#now() - this.#readAt < FRESH_MS) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    if (this.#readAt === Number.NEGATIVE_INFINITY) await this.#reading;
    else this.#reading.catch(() => undefined);
  }

  async #read(): Promise<void> {
    const asked = this.#now();
    this.#own = await readLimits(this.#db);
    this.#readAt = asked;
  }
}

function subjectsOf(limited: Limited): Pick<Limit, "kind" | "id">[] {
  const { kind, id } = limited;
  if (kind === "operator" || kind === "organization") return [{ kind, id }];
  return [
    { kind: "organization", id: limited.organizationId },
    { kind, id },
  ];
}

/**
 * Creates the error for a limit.
 * @param waitMs Milliseconds after which the same request may succeed. Absent when it depends on something
 * else.
 */
export function overLimit({ kind, value }: Pick<Limit, "kind" | "value">, name: LimitName, waitMs?: number) {
  const seconds = waitMs === undefined || waitMs === Infinity ? null : Math.max(1, Math.ceil(waitMs / 1_000));
  return errors.overLimit(`${kind.replace("_", " ")}'s`, `${value} ${LIMITS[name]}`, seconds, name);
}
