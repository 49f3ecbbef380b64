import type { Config } from "./config.ts";

/** Returns the relay of the settings, or null. @throws Error when one of the two settings is missing. */
export function mailOf({ smtpUrl: url, smtpFrom: from }: Config): { url: string; from: string } | null {
  if (url === null && from === null) return null;
  if (url === null) throw new Error("BERTH_SMTP_FROM needs BERTH_SMTP_URL, the relay that sends the mails.");
  if (from === null) throw new Error("BERTH_SMTP_URL needs BERTH_SMTP_FROM, the sender of the mails.");
  return { url, from };
}
