import { EventEmitter, once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";

/** What a host does with one request instead of serving it. `hang` never responds; `after` is waited for first. */
export type Fault =
  | { status: number; headers?: Record<string, string>; after?: Promise<unknown> }
  | "reset"
  | "hang";

/** Faults of a git host: pass `intercept` to it, and queue faults for repositories. */
export class Faults {
  readonly #queued = new Map<string, Fault[]>();
  readonly #happened = new EventEmitter();

  /** The next requests for the refs of `org/name` fail in this way, one each. Resolves when the last of them has begun. */
  async queue(repository: string, ...faults: Fault[]): Promise<void> {
    const queue = this.#queued.get(repository) ?? [];
    this.#queued.set(repository, queue);
    queue.push(...faults);
    while (queue.length > 0) await once(this.#happened, "fault");
  }

  readonly intercept = (request: IncomingMessage, response: ServerResponse): boolean => {
    const [, repository = ""] = /^\/(.+?)(?:\.git)?\/info\/refs/.exec(request.url ?? "") ?? [];
    const fault = this.#queued.get(repository)?.shift();
    if (fault === undefined) return false;
    if (fault === "reset") request.socket.destroy();
    else if (fault !== "hang")
      Promise.resolve(fault.after).then(() => response.writeHead(fault.status, fault.headers).end());
    this.#happened.emit("fault");
    return true;
  };
}
