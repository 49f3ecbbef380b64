import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyJson, Api } from "../acceptance/harness/api.ts";
import type { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeAgent, makeEnvironment, steps, toolResults } from "../acceptance/harness/fixtures.ts";
import { listAll } from "../acceptance/harness/list-all.ts";
import { readEventsUntil, readFrames } from "../acceptance/harness/stream.ts";

/**
 * One session under load. A writer sends numbered messages one after another and records the acknowledged
 * ones. A follower resumes the event stream after each disconnect. Each message makes the agent append its
 * number to a file.
 */
export class LoadedSession {
  readonly id: string;
  /** Ids of acknowledged inputs, in order. */
  readonly acknowledged: string[] = [];
  readonly followed: AnyJson[] = [];
  readonly #current: () => Api;
  readonly #stop = new AbortController();
  readonly #done: Promise<unknown>;
  #sent = 0;

  private constructor(id: string, current: () => Api) {
    this.id = id;
    this.#current = current;
    this.#done = Promise.all([this.#write(), this.#follow()]);
  }

  static async start(current: () => Api): Promise<LoadedSession> {
    const api = current();
    const [agent, environment] = await Promise.all([
      makeAgent(api),
      makeEnvironment(api, { name: `load ${crypto.randomUUID()}` }),
    ]);
    const session = await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id });
    return new LoadedSession(session.id, current);
  }

  /**
   * Stops the load and waits until the session is idle. Compares the log with the acknowledged and followed
   * events, and the calls with their effects on the disk. Returns the log.
   */
  async check(): Promise<AnyJson[]> {
    await this.stop();
    const api = this.#current();
    const numbers = await this.#runAfterLoad(api, "touch /data/numbers; cat /data/numbers");
    const log = await wholeLog(api, this.id);
    const ids = log.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, "no event is duplicated");
    const inputs = new Set(this.acknowledged);
    assert.deepEqual(
      ids.filter((id) => inputs.has(id)),
      this.acknowledged,
      "acknowledged events are in the log, in order",
    );
    assert.deepEqual(
      this.followed.map(({ id }) => id),
      ids.slice(0, this.followed.length),
      "the follower received the log without a gap or a duplicate",
    );
    const written = numbers.split("\n").filter((line) => line !== "");
    assert.equal(new Set(written).size, written.length, "no command ran twice");
    assertEveryCallHasOneResult(log);
    for (const number of finishedNumbers(log))
      assert.ok(written.includes(number), `what the command with ${number} wrote is on the disk`);
    return log;
  }

  /** Stops the load. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  /** Runs a command after all sent messages are processed, and returns its output. */
  async #runAfterLoad(api: Api, command: string): Promise<string> {
    const mark = `checked ${crypto.randomUUID()}`;
    await api.ok("POST", `/sessions/${this.id}/events`, {
      events: [steps(bash(`${command}; echo ${mark}`))],
    });
    let output: string | undefined;
    await readEventsUntil(api, this.id, (event) => {
      const [text] = toolResults([event]);
      if (text?.includes(mark)) output = text.slice(0, text.indexOf(mark)).trim();
      return output !== undefined && event.type === "session.status_idle";
    });
    return output ?? "";
  }

  async #write(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const number = this.#sent++;
      const events = [steps(bash(`echo ${number} >> /data/numbers`))];
      const response = await this.#current()
        .post(`/sessions/${this.id}/events`, { events })
        .catch(() => null);
      if (response?.status === 200) this.acknowledged.push(response.body.data[0].id);
      await pause(response?.status === 200 ? 40 : 100);
    }
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const last = this.followed.at(-1)?.id;
      const from = last === undefined ? { query: "from=start" } : { lastEventId: last };
      try {
        for await (const { data } of readFrames(this.#current(), this.id, {
          ...from,
          signal: this.#stop.signal,
        }))
          this.followed.push(data);
      } catch {
        await pause(50);
      }
    }
  }
}

/** Waits until the sessions together have ended `more` further turns. */
export async function turns(
  sessions: readonly LoadedSession[],
  more: number,
  signal: AbortSignal,
): Promise<void> {
  const ended = () => sessions.reduce((sum, { followed }) => sum + count(followed, "session.status_idle"), 0);
  const enough = ended() + more;
  while (ended() < enough) await pause(20, undefined, { signal });
}

export function count(log: readonly AnyJson[], type: string): number {
  return log.filter((event) => event.type === type).length;
}

/** Returns a function that makes a client of the current service process. */
export function clientOf(current: () => Berth, token: string): () => Api {
  return () => new Api(current().url, token);
}

/** Returns all events of a session. */
export async function wholeLog(api: Api, session: string): Promise<AnyJson[]> {
  return await listAll(api, `/sessions/${session}/events?limit=100`);
}

/** Returns the numbers of the commands that succeeded, by their results. */
function finishedNumbers(log: AnyJson[]): string[] {
  const results = new Map(
    log.filter(({ type }) => type === "agent.tool_result").map((result) => [result.tool_use_id, result]),
  );
  return log.flatMap(({ id, type, input }) => {
    const number = type === "agent.tool_use" && /^echo (\d+) >> /.exec(input.command)?.[1];
    return number && results.get(id)?.is_error === false ? [number] : [];
  });
}

export function assertEveryCallHasOneResult(log: readonly AnyJson[]): void {
  const uses = log.filter(({ type }) => type === "agent.tool_use").map(({ id }) => id);
  const results = log.filter(({ type }) => type === "agent.tool_result").map(({ tool_use_id: id }) => id);
  assert.deepEqual(results.toSorted(), uses.toSorted(), "every call has one result");
}
