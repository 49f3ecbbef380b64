import type { Answer as AnswerBody, routes, Vault } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type Answer, answerOf } from "../answer.ts";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Body, Query } from "../types.ts";
import { VaultCredentials } from "./vault-credentials.ts";

type Routes = typeof routes.vaults;
const { vaults } = operations;

export class Vaults {
  readonly credentials: VaultCredentials;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.credentials = new VaultCredentials(transport);
  }

  create(body: Body<Routes["create"]>, options?: CallOptions): Answer<Vault> {
    return answerOf(this.#transport.json({ operation: vaults.create, body, ...options }));
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<Vault> {
    return listOf(this.#transport, { operation: vaults.list, query, ...options });
  }

  get(vault_id: string, options?: CallOptions): Answer<Vault> {
    return answerOf(this.#transport.json({ operation: vaults.get, params: { vault_id }, ...options }));
  }

  update(vault_id: string, body: Body<Routes["update"]>, options?: CallOptions): Answer<Vault> {
    return answerOf(
      this.#transport.json({ operation: vaults.update, params: { vault_id }, body, ...options }),
    );
  }

  /** Its credentials too. Refused while a session uses it that is neither archived nor terminated. */
  delete(vault_id: string, options?: CallOptions): Answer<AnswerBody<Routes["delete"]>> {
    return answerOf(this.#transport.json({ operation: vaults.delete, params: { vault_id }, ...options }));
  }

  /** For good: its credentials are archived with it, and their secrets are destroyed. */
  archive(vault_id: string, options?: CallOptions): Answer<Vault> {
    return answerOf(this.#transport.json({ operation: vaults.archive, params: { vault_id }, ...options }));
  }
}
