import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { AnyJson, Api, ApiResponse, Json } from "../../acceptance/harness/api.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  steps,
  toolResults,
  waitForTurn,
} from "../../acceptance/harness/fixtures.ts";
import { readFrames, StreamEnded } from "../../acceptance/harness/stream.ts";
import { assertEveryCallHasOneResult, count, wholeLog } from "../../crash/load.ts";

/**
 * Every nth message starts a turn, in which the agent writes the message's number to its list, and as an
 * output.
 */
const PER_TURN = 50;
const RETRY_MS = 50;
const MAX_DISCONNECTS = 20;

/**
 * One session under load. A writer sends numbered messages one after another, and repeats each with its
 * idempotency key until it is acknowledged, as the SDK does. A follower resumes the event stream after each
 * disconnect.
 */
export class NumberedSession {
  readonly id: string;
  /** Ids of the acknowledged messages, by their numbers. */
  readonly acknowledged: string[] = [];
  /** The number of repeated requests. */
  repeated = 0;
  readonly #api: Api;
  readonly #followed: AnyJson[] = [];
  readonly #stop = new AbortController();
  readonly #done: Promise<unknown>;

  private constructor(id: string, api: Api) {
    this.id = id;
    this.#api = api;
    this.#done = Promise.all([this.#write(), this.#follow()]);
    // `stop` reports the error.
    this.#done.catch(() => this.#stop.abort());
  }

  static async start(api: Api): Promise<NumberedSession> {
    const environment = { name: `numbered ${crypto.randomUUID()}` };
    const [agent, { id }] = await Promise.all([makeAgent(api), makeEnvironment(api, environment)]);
    const session = await api.ok("POST", "/sessions", { agent: agent.id, environment_id: id });
    return new NumberedSession(session.id, api);
  }

  /** Whether it has ended. It ends by itself only after a failure, with which `stop` rejects. */
  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  /**
   * Compares the log with the acknowledged and followed events, and the calls with their effects on the disk,
   * after the last turn. Returns the number of ended turns.
   */
  async check(): Promise<number> {
    const events = [steps(bash("touch /data/numbers; cat /data/numbers"))];
    const sent = await this.#send(events);
    const turn = await readAgain("the last turn", () =>
      waitForTurn(this.#api, this.id, sent.body.data[0].id),
    );
    const log = await readAgain("the log", () => wholeLog(this.#api, this.id));
    const ids = log.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, "no event is there twice");
    const numbered = log
      .filter(({ type }) => type === "system.message" || type === "user.message")
      .slice(0, -1);
    assert.deepEqual(
      numbered.map(({ id }) => id),
      this.acknowledged,
      "each acknowledged message is in the log once, in its order, and no other",
    );
    assert.deepEqual(
      this.#followed.map(({ id }) => id),
      ids.slice(0, this.#followed.length),
      "the follower had the log without a gap or a double",
    );
    const output = toolResults(turn).at(-1);
    assert.ok(output !== undefined, "the last turn read the list");
    const written = output.split("\n").filter((line) => /^\d+$/.test(line));
    assert.equal(new Set(written).size, written.length, "no command ran twice");
    assertEveryCallHasOneResult(log);
    await this.#checkOutputs(written);
    assert.equal(log.at(-1)?.type, "session.status_idle", "the last turn ended");
    return count(log, "session.status_idle");
  }

  /** Asserts that each listed number has exactly one output: the output is written before the number. */
  async #checkOutputs(numbers: readonly string[]): Promise<void> {
    const path = `/files?scope_id=${this.id}&limit=100`;
    const { data } = await readAgain("the list of outputs", () => this.#api.ok("GET", path));
    const names = data.map(({ filename }: AnyJson) => filename);
    assert.deepEqual(names.filter((name: string) => numbers.includes(name)).toSorted(), numbers.toSorted());
    for (const { id, filename } of data) {
      const { body } = await readAgain("an output", () => this.#api.get(`/files/${id}/content`));
      assert.equal(body, `${filename}\n`, "the output is what was written");
    }
  }

  async #write(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const number = this.acknowledged.length;
      const { body } = await this.#send([number % PER_TURN === 0 ? turnOf(number) : noteOf(number)]);
      this.acknowledged.push(body.data[0].id);
    }
  }

  async #send(events: Json[]): Promise<ApiResponse> {
    const headers = { "idempotency-key": crypto.randomUUID() };
    return await untilAnswered(
      () => this.#api.post(`/sessions/${this.id}/events`, { events }, { headers }),
      () => {
        this.repeated += 1;
      },
    );
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const last = this.#followed.at(-1)?.id;
      const from = last === undefined ? { query: "from=start" } : { lastEventId: last };
      try {
        for await (const { data } of readFrames(this.#api, this.id, { ...from, signal }))
          this.#followed.push(data);
      } catch {
        await pause(RETRY_MS);
      }
    }
  }
}

/**
 * Repeats a request that had no response, or one that allows a retry. Any other status than 200 is a failure.
 */
async function untilAnswered(send: () => Promise<ApiResponse>, onRepeat: () => void): Promise<ApiResponse> {
  for (;;) {
    const response = await send().catch(() => null);
    if (response?.status === 200) return response;
    const mayRepeat = response === null || response.headers.has("retry-after") || isOutage(response);
    assert.ok(mayRepeat, `${response?.status}: ${JSON.stringify(response?.body)}`);
    onRepeat();
    await pause(RETRY_MS);
  }
}

/** Repeats a read after a disconnect, as every follower must: a stream ends when its database goes away. */
export async function readAgain<Read>(what: string, read: () => Promise<Read>): Promise<Read> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await read();
    } catch (error) {
      if (!isTransient(error) || attempts === MAX_DISCONNECTS)
        throw new Error(`${what} could not be read, at attempt ${attempts}`, { cause: error });
      await pause(RETRY_MS);
    }
  }
}

const OUTAGE = "The service cannot reach its database.";

/**
 * Whether an error, or a cause of it, is a refused or ended connection, the end of a stream, or an outage.
 */
function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isEnd = error instanceof TypeError || error instanceof StreamEnded;
  return isEnd || error.message.includes(OUTAGE) || isTransient(error.cause);
}

/** Whether a write failed because the database is down or a standby. */
function isOutage({ status, body }: ApiResponse): boolean {
  return status === 500 && body.error?.message === OUTAGE;
}

/** Returns a message that starts no turn. */
function noteOf(number: number): Json {
  return { type: "system.message", content: [{ type: "text", text: `${number}` }] };
}

function turnOf(number: number): Json {
  return steps(bash(`echo ${number} > /mnt/session/outputs/${number}; echo ${number} >> /data/numbers`));
}
