/** The open dialog, as search parameters. */
export type WebhookSearch = {
  create?: true;
  /** The id of the webhook whose details are open. */
  webhook?: string;
};

/** Reads search parameters, which may hold anything. */
export function readWebhookSearch({ create, webhook }: Record<string, unknown>): WebhookSearch {
  return {
    ...(create === true ? { create } : {}),
    ...(typeof webhook === "string" && /^whk_\w+$/.test(webhook) ? { webhook } : {}),
  };
}
