import { createHmac } from "node:crypto";

/**
 * What stands for a secret in a session, the same for as long as the session lives, whatever the secret is rotated to. Nobody
 * outside the session can guess it.
 *
 * @param id the uuid of the credential or of the repository's resource.
 */
export function placeholderOf(seed: string, id: string): string {
  return `berth${createHmac("sha256", seed).update(id).digest("hex").slice(0, 31)}`;
}
