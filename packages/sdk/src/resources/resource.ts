import { type ApiPromise, apiPromise } from "../transport/api-promise.ts";
import type { Call } from "../transport/options.ts";
import { type PagedList, pagedList } from "../transport/page.ts";
import type { Transport } from "../transport/transport.ts";

/** Methods of one noun. Each calls one operation of the contract. */
export abstract class Resource {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  protected request<T>(call: Call): ApiPromise<T> {
    return apiPromise(this.transport.json<T>(call));
  }

  protected pages<T>(call: Call): PagedList<T> {
    return pagedList<T>(this.transport, call);
  }
}
