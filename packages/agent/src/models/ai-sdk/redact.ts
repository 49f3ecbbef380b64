import { isMaskable } from "@berth/egress/maskable-secret";

/**
 * Returns the text on one line, cut to 500 characters, without secrets. Text that looks like a key, with a
 * digit or a star, is removed too, since providers repeat keys in part.
 */
export function redacted(text: string, secrets: readonly string[]): string {
  const known = secrets
    .filter(isMaskable)
    .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
  const line = known
    .replace(/\b(sk|key|bearer)[-_ ](?=[\w.-]*[\d*])[\w*.-]{8,}/gi, "[secret]")
    .replace(/\s+/g, " ");
  return line.trim().slice(0, 500).toWellFormed();
}
