import assert from "node:assert/strict";
import type { AnyJson, Api } from "../../acceptance/harness/api.ts";
import { bash, makeSession, steps, toolResults } from "../../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../../acceptance/harness/stream.ts";
import { waitUntil } from "../../acceptance/harness/wait-until.ts";
import { assertEveryCallHasOneResult, wholeLog } from "../../crash/load.ts";
import { commandOf } from "../../crash/processes.ts";
import { podProcesses } from "./cluster-parts.ts";

export const TOLD = /^\[The sandbox stopped while this ran/;

let count = 0;

/**
 * A turn whose second command does not end by itself. Each command appends a line to a file on the volume.
 */
export class InterruptedTurn {
  readonly session: string;
  readonly #api: Api;
  readonly #input: string;
  readonly #sleep: string;

  private constructor(api: Api, session: string, input: string, sleep: string) {
    this.#api = api;
    this.session = session;
    this.#input = input;
    this.#sleep = sleep;
  }

  /** Resolves when the second command runs. @param nodes directories of the nodes on which it may run. */
  static async start(api: Api, nodes: readonly string[], session?: string): Promise<InterruptedTurn> {
    const id = session ?? (await makeSession(api)).id;
    const sleep = `sleep ${600 + ++count}`;
    const events = [
      steps(
        bash("echo first >>/data/lines"),
        bash(`echo second >>/data/lines; ${sleep}`),
        bash("echo third >>/data/lines; cat /data/lines; rm /data/lines"),
      ),
    ];
    const { data } = await api.ok("POST", `/sessions/${id}/events`, { events });
    const turn = new InterruptedTurn(api, id, data[0].id, sleep);
    await waitUntil(
      () => nodes.some((node) => turn.runs(node)),
      () => "its second command does not run",
    );
    return turn;
  }

  /** Whether its second command runs on the node with this directory. */
  runs(node: string): boolean {
    return podProcesses(node).some((pid) => commandOf(pid).trim() === this.#sleep);
  }

  /** Resolves when the second command is reported as cut off. */
  async told(): Promise<void> {
    await readEventsUntil(this.#api, this.session, (event) => TOLD.test(toolResults([event])[0] ?? ""));
  }

  /**
   * Resolves when the turn is over. Asserts that no acknowledged event is lost, each call has one result, and
   * no command ran twice.
   */
  async ended(): Promise<AnyJson[]> {
    let begun = false;
    await readEventsUntil(this.#api, this.session, ({ id, type }) => {
      begun ||= id === this.#input;
      return begun && type === "session.status_idle";
    });
    const log = await wholeLog(this.#api, this.session);
    const ids = log.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, "no event is there twice");
    const events = log.slice(ids.indexOf(this.#input));
    assert.equal(events[0]?.id, this.#input, "what was acknowledged is in the log");
    assertEveryCallHasOneResult(events);
    const [first, second, third, ...more] = toolResults(events);
    assert.deepEqual([first, third, more], ["(no output)", "first\nsecond\nthird", []]);
    assert.match(second ?? "", TOLD);
    assert.deepEqual(events.at(-1)?.stop_reason, { type: "end_turn" });
    assert.deepEqual(
      log.filter(({ type }) => type === "session.error" || type === "session.container_reclaimed"),
      [],
    );
    return events;
  }
}
