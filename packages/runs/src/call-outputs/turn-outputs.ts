import type { CallOutput, CallOutputs } from "@berth/agent";
import type { SessionHub } from "@berth/store/notify";
import type { Logger } from "pino";
import type { MaskStream } from "./masked-output.ts";
import type { OutputStore } from "./output-store.ts";
import { PrintedOutput } from "./printed-output.ts";

/** Milliseconds before the first store. The output of a turn whose calls end sooner is not stored. */
const FIRST_STORE_MS = 2_000;
/** Milliseconds between later stores, if there is new output. */
const STORE_MS = 5_000;

interface Running {
  /** Bytes of the output that are stored. */
  stored: number;
  endPreview(): void;
}

export interface TurnOutputDeps {
  sessionId: string;
  store: OutputStore;
  previews: Pick<SessionHub["previews"], "beginOutput" | "outputChanged">;
  /** Creates a mask of the session's secrets for one text. */
  newMask(): MaskStream;
  log: Logger;
}

/**
 * The output of a turn's calls while they run: for followers, and in the store for the process that continues
 * the turn when this one dies. One statement stores the output of all running calls.
 */
export class TurnOutputs implements CallOutputs {
  readonly #deps: TurnOutputDeps;
  readonly #running = new Map<PrintedOutput, Running>();
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> = Promise.resolve();
  /** Whether something of this turn is stored. */
  #isStored = false;
  #isClosed = false;

  constructor(deps: TurnOutputDeps) {
    this.#deps = deps;
  }

  begin(eventId: string): CallOutput {
    const { sessionId, previews, newMask } = this.#deps;
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
    return await this.#deps.store.read(eventIds);
  }

  /**
   * Ends the turn. Deletes the stored output, or stores the rest if another process continues calls without a
   * result. Never rejects.
   *
   * @param isLost whether another process continues the turn.
   */
  async close(isLost: boolean): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { endPreview } of this.#running.values()) endPreview();
    await this.#storing;
    if (isLost) await this.#store();
    else if (this.#isStored) await this.#try(() => this.#deps.store.clear());
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
    await this.#try(() => this.#deps.store.write(printed));
  }

  async #try(work: () => Promise<void>): Promise<void> {
    await work().catch((err: unknown) =>
      this.#deps.log.debug({ err }, "what a command printed could not be stored"),
    );
  }
}
