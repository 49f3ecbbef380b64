import type { Database } from "@berth/store/db";
import { firstRequestAt } from "@berth/store/session-log";
import { type RunResource, readResources } from "../inputs/resource-store.ts";
import { type RunSession, readInputs, type SessionInputs } from "../inputs/session-inputs-store.ts";
import { type PinnedSkill, readSkills } from "../skills/skill-store.ts";

/** A workspace's copy of its session's inputs, which is read again where it may be out of date. */
export class KnownInputs {
  readonly #db: Database["read"];
  /** The session, whose fields change with the environment. */
  readonly #session: RunSession;
  #latest: SessionInputs;
  /** Whether resources may have been put in place since they were read. */
  #isStale = false;
  #skills: Promise<PinnedSkill[]> | undefined;
  #firstRequestAt: number | null = null;

  constructor(db: Database["read"], session: RunSession, inputs: SessionInputs) {
    this.#db = db;
    this.#session = session;
    this.#latest = inputs;
  }

  /** The inputs as they were last read. */
  get latest(): SessionInputs {
    return this.#latest;
  }

  /** Replaces the inputs. @param isStale whether something is being put in place. */
  take(inputs: SessionInputs, isStale: boolean): void {
    this.#latest = inputs;
    this.#isStale = isStale;
  }

  markStale(): void {
    this.#isStale = true;
  }

  async read(): Promise<SessionInputs> {
    return await readInputs(this.#db, this.#session.id);
  }

  /** Returns the latest inputs, read again when resources may have been put in place since. */
  async current(): Promise<SessionInputs> {
    return this.#isStale ? await this.read() : this.#latest;
  }

  /** Returns the resources of `current`. */
  async resources(): Promise<readonly RunResource[]> {
    return this.#isStale ? await readResources(this.#db, this.#session.id) : this.#latest.resources;
  }

  /** Returns the skills, which are the same for the lifetime of the session. */
  skills(): Promise<PinnedSkill[]> {
    const reading = this.#skills ?? readSkills(this.#db, this.#session);
    this.#skills = reading;
    reading.catch(() => {
      if (this.#skills === reading) this.#skills = undefined;
    });
    return reading;
  }

  /** Returns when the session's first request was sent (cached from then on), or null before. */
  async firstRequestAt(): Promise<number | null> {
    this.#firstRequestAt ??= await firstRequestAt(this.#db, this.#session.id);
    return this.#firstRequestAt;
  }
}
