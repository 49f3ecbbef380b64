import type { Answer as AnswerBody, routes, VaultCredential } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type Answer, answerOf } from "../answer.ts";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Body, Query } from "../types.ts";

type Routes = typeof routes.vaultCredentials;
const { vaultCredentials } = operations;

export class VaultCredentials {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(vault_id: string, body: Body<Routes["create"]>, options?: CallOptions): Answer<VaultCredential> {
    return answerOf(
      this.#transport.json({ operation: vaultCredentials.create, params: { vault_id }, body, ...options }),
    );
  }

  list(vault_id: string, query?: Query<Routes["list"]>, options?: CallOptions): PagedList<VaultCredential> {
    return listOf(this.#transport, {
      operation: vaultCredentials.list,
      params: { vault_id },
      query,
      ...options,
    });
  }

  get(vault_id: string, credential_id: string, options?: CallOptions): Answer<VaultCredential> {
    const params = { vault_id, credential_id };
    return answerOf(this.#transport.json({ operation: vaultCredentials.get, params, ...options }));
  }

  /** A new secret is what sessions use from their next call on. */
  update(
    vault_id: string,
    credential_id: string,
    body: Body<Routes["update"]>,
    options?: CallOptions,
  ): Answer<VaultCredential> {
    const params = { vault_id, credential_id };
    return answerOf(this.#transport.json({ operation: vaultCredentials.update, params, body, ...options }));
  }

  delete(
    vault_id: string,
    credential_id: string,
    options?: CallOptions,
  ): Answer<AnswerBody<Routes["delete"]>> {
    const params = { vault_id, credential_id };
    return answerOf(this.#transport.json({ operation: vaultCredentials.delete, params, ...options }));
  }

  /** For good: its secret is destroyed. */
  archive(vault_id: string, credential_id: string, options?: CallOptions): Answer<VaultCredential> {
    const params = { vault_id, credential_id };
    return answerOf(this.#transport.json({ operation: vaultCredentials.archive, params, ...options }));
  }
}
