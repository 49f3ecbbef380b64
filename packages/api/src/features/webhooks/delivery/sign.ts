import { createHmac } from "node:crypto";

/** A message as Standard Webhooks sign it. */
export interface SignedMessage {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

/**
 * Returns the headers by which a receiver verifies a message, with a signature by each key.
 * @param keys of the form `whsec_` and base64.
 */
export function signedHeaders(
  { id, timestamp, body }: SignedMessage,
  keys: readonly string[],
): Record<string, string> {
  const signatures = keys.map((key) => {
    const hmac = createHmac("sha256", Buffer.from(key.slice("whsec_".length), "base64"));
    return `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": `${timestamp}`,
    "webhook-signature": signatures.join(" "),
  };
}
