import type { CallOutput, CallOutputs } from "@berth/agent";
import type { SessionHub } from "@berth/store/notify";
import type { Logger } from "pino";
import type { MaskStream } from "./masked-output.ts";
import type { OutputStore } from "./output-store.ts";
import { PrintedOutput } from "./printed-output.ts";

/** A turn whose calls take less stores nothing of what they print. */
const FIRST_STORE_MS = 2_000;
/** From then on it is stored so often, if there is something new. */
const STORE_MS = 5_000;

interface Running {
  /** How much is stored, in bytes. */
  stored: number;
  endPreview(): void;
}

export interface TurnOutputParts {
  sessionId: string;
  store: OutputStore;
  previews: Pick<SessionHub["previews"], "beginOutput" | "outputChanged">;
  /** Masks the session's secrets in one text. */
  newMask(): MaskStream;
  log: Logger;
}

/**
 * What the calls of a turn print while they run: for followers, and in the store for the process that goes on with the turn when this
 * one dies. All calls that run are stored by one statement.
 */
export class TurnOutputs implements CallOutputs {
  readonly #parts: TurnOutputParts;
  readonly #running = new Map<PrintedOutput, Running>();
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> = Promise.resolve();
  /** The store has something of this turn. */
  #isStored = false;
  #isClosed = false;

  constructor(parts: TurnOutputParts) {
    this.#parts = parts;
  }

  begin(eventId: string): CallOutput {
    const { sessionId, previews, newMask } = this.#parts;
    const output = new PrintedOutput(eventId, newMask, {
      changed: () => previews.outputChanged(sessionId),
      ended: () => this.#end(output),
    });
    this.#running.set(output, { stored: 0, endPreview: previews.beginOutput(sessionId, output) });
    this.#storeIn(FIRST_STORE_MS);
    return output;
  }

  async ofDead(eventIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    this.#isStored = true;
    return await this.#parts.store.read(eventIds);
  }

  /**
   * The turn is over. What is stored is not needed any more, unless another process goes on with calls that have no result: then the rest
   * is stored. Never rejects.
   *
   * @param isLost the turn is left to another process.
   */
  async close(isLost: boolean): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { endPreview } of this.#running.values()) endPreview();
    await this.#storing;
    if (isLost) await this.#store();
    else if (this.#isStored) await this.#try(() => this.#parts.store.clear());
  }

  #end(output: PrintedOutput): void {
    this.#running.get(output)?.endPreview();
    this.#running.delete(output);
    if (this.#running.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #storeIn(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#storing = this.#store().then(() => {
        if (this.#running.size > 0 && !this.#isClosed) this.#storeIn(STORE_MS);
      });
    }, milliseconds);
  }

  async #store(): Promise<void> {
    const changed = [...this.#running].filter(([output, { stored }]) => output.bytes > stored);
    if (changed.length === 0) return;
    this.#isStored = true;
    const printed = new Map(changed.map(([output]) => [output.toolUseId, output.text()]));
    for (const [output, running] of changed) running.stored = output.bytes;
    await this.#try(() => this.#parts.store.write(printed));
  }

  async #try(work: () => Promise<void>): Promise<void> {
    await work().catch((err: unknown) =>
      this.#parts.log.debug({ err }, "what a command printed could not be stored"),
    );
  }
}
