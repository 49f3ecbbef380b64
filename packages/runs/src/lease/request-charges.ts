import { type Draft, type ListPrice, listCost } from "@berth/agent";
import { parseId } from "@berth/contract";

/** What an append charges to a session and its owners. */
export interface Charge {
  /** Nanodollars of the requests whose usage is known. */
  nano: number;
  /** Uuids of the requests that may have a reservation, which ends. */
  reserved: readonly string[];
  /** Those of them that cost what they reserved, because nobody knows what the provider charged. */
  unknown: readonly string[];
}

export const NO_CHARGE: Charge = { nano: 0, reserved: [], unknown: [] };

interface Begun {
  price: ListPrice | null;
  isReserved: boolean;
  isUnbilled: boolean;
}

/** Remembers the price of each request of a run until its end is appended. */
export class RequestCharges {
  readonly #begun = new Map<string, Begun>();

  /** @param requestId id of the `span.model_request_start`. */
  begin(requestId: string, price: ListPrice | null, isReserved: boolean): void {
    this.#begun.set(requestId, { price, isReserved, isUnbilled: false });
  }

  unbilled(requestId: string): void {
    const begun = this.#begun.get(requestId);
    if (begun !== undefined) begun.isUnbilled = true;
  }

  /** Takes what the requests cost that end with these events. A request of a former run may have a reservation. */
  take(drafts: readonly Draft[]): Charge {
    const charge = { nano: 0, reserved: [] as string[], unknown: [] as string[] };
    for (const { event } of drafts) {
      if (event.type !== "span.model_request_end") continue;
      const { model_request_start_id: id, model_usage: usage } = event;
      const begun = this.#begun.get(id);
      this.#begun.delete(id);
      if (usage !== null && begun?.price != null) charge.nano += listCost(begun.price, usage);
      const uuid = parseId("event", id);
      if (uuid === null || begun?.isReserved === false) continue;
      charge.reserved.push(uuid);
      if (usage === null && begun?.isUnbilled !== true) charge.unknown.push(uuid);
    }
    return charge;
  }
}
