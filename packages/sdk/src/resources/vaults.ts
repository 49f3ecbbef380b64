import type { ResponseOf, routes, Vault } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Transport } from "../transport/transport.ts";
import type { Body, Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";
import { VaultCredentials } from "./vault-credentials.ts";

type Routes = typeof routes.vaults;
const { vaults } = operations;

export class Vaults extends Resource {
  readonly credentials: VaultCredentials;

  constructor(transport: Transport) {
    super(transport);
    this.credentials = new VaultCredentials(transport);
  }

  create(body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<Vault> {
    return this.request({ operation: vaults.create, body, ...options });
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Vault> {
    return this.pages({ operation: vaults.list, query, ...options });
  }

  get(vault_id: string, options?: CallOptions): ApiPromise<Vault> {
    return this.request({ operation: vaults.get, params: { vault_id }, ...options });
  }

  update(vault_id: string, body: Body<Routes["update"]>, options?: CallOptions): ApiPromise<Vault> {
    return this.request({ operation: vaults.update, params: { vault_id }, body, ...options });
  }

  /**
   * Deletes a vault with its credentials. Fails with 409 while a session that is neither archived nor
   * terminated uses it.
   */
  delete(vault_id: string, options?: CallOptions): ApiPromise<ResponseOf<Routes["delete"]>> {
    return this.request({ operation: vaults.delete, params: { vault_id }, ...options });
  }

  /** Archives a vault and its credentials. Cannot be undone: the secrets are destroyed. */
  archive(vault_id: string, options?: CallOptions): ApiPromise<Vault> {
    return this.request({ operation: vaults.archive, params: { vault_id }, ...options });
  }
}
