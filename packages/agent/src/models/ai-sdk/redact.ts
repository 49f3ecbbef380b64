import { isMaskable } from "@berth/egress/maskable-secret";

/** At most 500 characters, on one line. Text that looks like a key, with a digit or a star, is removed too: providers repeat keys in part. */
export function redacted(text: string, secrets: readonly string[]): string {
  const known = secrets
    .filter(isMaskable)
    .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
  const line = known
    .replace(/\b(sk|key|bearer)[-_ ](?=[\w.-]*[\d*])[\w*.-]{8,}/gi, "[secret]")
    .replace(/\s+/g, " ");
  return line.trim().slice(0, 500).toWellFormed();
}
