import type { Database } from "@berth/store/db";
import { firstRequestAt } from "@berth/store/session-log";
import { type RunResource, readResources } from "../inputs/resource-store.ts";
import { type RunSession, readInputs, type SessionInputs } from "../inputs/session-inputs-store.ts";
import { type PinnedSkill, readSkills } from "../skills/skill-store.ts";

/** What a workspace knows of its session's inputs. It is read again where it may have changed. */
export class KnownInputs {
  readonly #db: Database["read"];
  /** Changes with the environment. */
  readonly #session: RunSession;
  #latest: SessionInputs;
  /** Resources may have been put in place since they were read. */
  #isStale = false;
  #skills: Promise<PinnedSkill[]> | undefined;
  #firstRequestAt: number | null = null;

  constructor(db: Database["read"], session: RunSession, inputs: SessionInputs) {
    this.#db = db;
    this.#session = session;
    this.#latest = inputs;
  }

  /** As they were last read. */
  get latest(): SessionInputs {
    return this.#latest;
  }

  /** @param isStale Something is being put in place. */
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

  /** The latest, read again when resources may have been put in place since. */
  async current(): Promise<SessionInputs> {
    return this.#isStale ? await this.read() : this.#latest;
  }

  /** Those of `current`. */
  async resources(): Promise<readonly RunResource[]> {
    return this.#isStale ? await readResources(this.#db, this.#session.id) : this.#latest.resources;
  }

  /** The same for the lifetime of the session. */
  skills(): Promise<PinnedSkill[]> {
    const reading = this.#skills ?? readSkills(this.#db, this.#session);
    this.#skills = reading;
    reading.catch(() => {
      if (this.#skills === reading) this.#skills = undefined;
    });
    return reading;
  }

  /** When the session's first request was sent, which does not change once there was one. */
  async firstRequestAt(): Promise<number | null> {
    this.#firstRequestAt ??= await firstRequestAt(this.#db, this.#session.id);
    return this.#firstRequestAt;
  }
}
