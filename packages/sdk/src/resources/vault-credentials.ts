import type { ResponseOf, routes, VaultCredential } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import type { ApiPromise } from "../transport/api-promise.ts";
import type { CallOptions } from "../transport/options.ts";
import type { PagedList } from "../transport/page.ts";
import type { Body, Query } from "../transport/types.ts";
import { Resource } from "./resource.ts";

type Routes = typeof routes.vaultCredentials;
const { vaultCredentials } = operations;

export class VaultCredentials extends Resource {
  create(vault_id: string, body: Body<Routes["create"]>, options?: CallOptions): ApiPromise<VaultCredential> {
    return this.request({ operation: vaultCredentials.create, params: { vault_id }, body, ...options });
  }

  list(vault_id: string, query?: Query<Routes["list"]>, options?: CallOptions): PagedList<VaultCredential> {
    return this.pages({
      operation: vaultCredentials.list,
      params: { vault_id },
      query,
      ...options,
    });
  }

  get(vault_id: string, credential_id: string, options?: CallOptions): ApiPromise<VaultCredential> {
    const params = { vault_id, credential_id };
    return this.request({ operation: vaultCredentials.get, params, ...options });
  }

  /** Updates a credential. Sessions use a new secret from their next call on. */
  update(
    vault_id: string,
    credential_id: string,
    body: Body<Routes["update"]>,
    options?: CallOptions,
  ): ApiPromise<VaultCredential> {
    const params = { vault_id, credential_id };
    return this.request({ operation: vaultCredentials.update, params, body, ...options });
  }

  delete(
    vault_id: string,
    credential_id: string,
    options?: CallOptions,
  ): ApiPromise<ResponseOf<Routes["delete"]>> {
    const params = { vault_id, credential_id };
    return this.request({ operation: vaultCredentials.delete, params, ...options });
  }

  /** Archives a credential. Cannot be undone: the secret is destroyed. */
  archive(vault_id: string, credential_id: string, options?: CallOptions): ApiPromise<VaultCredential> {
    const params = { vault_id, credential_id };
    return this.request({ operation: vaultCredentials.archive, params, ...options });
  }
}
