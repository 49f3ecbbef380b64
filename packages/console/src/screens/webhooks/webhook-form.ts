import { WEBHOOK_EVENTS, type Webhook } from "@berth/sdk";

export type WebhookForm = {
  format: Webhook["format"];
  owner: Webhook["owner_type"];
  name: string;
  /** For Slack a secret, kept in memory only. */
  url: string;
  /** Addresses, separated by commas or spaces. Empty for the user's own. */
  recipients: string;
  events: string[];
};

export const EMPTY_WEBHOOK: WebhookForm = {
  ...{ format: "standard", owner: "user", name: "", url: "", recipients: "" },
  events: ["session.requires_action", "session.failed"],
};

export const FORMAT_CHOICES: readonly { value: Webhook["format"]; label: string; about: string }[] = [
  { value: "standard", label: "HTTPS", about: "A signed request to a program" },
  { value: "slack", label: "Slack", about: "A line in a channel" },
  { value: "email", label: "Mail", about: "A line to members of the organization" },
];

/** What can be enabled: all, and of each noun all before its events. */
export const EVENT_CHOICES: readonly string[] = [
  "*",
  ...WEBHOOK_EVENTS.flatMap((event, at) => {
    const [noun] = event.split(".");
    return noun === WEBHOOK_EVENTS[at - 1]?.split(".")[0] ? [event] : [`${noun}.*`, event];
  }),
];

export function createBodyOf({ format, owner, name, url, recipients, events }: WebhookForm) {
  const people = recipients.split(/[\s,]+/).filter((email) => email !== "");
  return {
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    format,
    ...(format === "email" ? (people.length === 0 ? {} : { recipients: people }) : { url: url.trim() }),
    enabled_events: events,
    ...(owner === "user" ? {} : { owner_type: owner }),
  };
}

/** Returns the form field that a fault belongs to, from the parameter that the service names. */
export function placeOf(param: string): keyof WebhookForm | "" {
  const [field = ""] = param.split("[");
  const places: Record<string, keyof WebhookForm> = {
    ...{ name: "name", url: "url", format: "format", recipients: "recipients", enabled_events: "events" },
  };
  return places[field] ?? "";
}

/** Returns what names a webhook in lists. */
export function titleOf({ name, url, recipients }: Webhook): string {
  return name ?? url ?? recipients.join(", ");
}

/** Returns where a webhook sends to. */
export function targetOf({ format, url, recipients }: Webhook): string {
  return format === "email" ? recipients.join(", ") : (url ?? "");
}

export function formatName(format: Webhook["format"]): string {
  return FORMAT_CHOICES.find(({ value }) => value === format)?.label ?? format;
}

/** Returns why a webhook is disabled, as a sentence; null while it is enabled. */
export function disabledSentence({ disabled_reason: reason }: Webhook): string | null {
  if (reason === null) return null;
  if (reason === "gone") return "It is disabled, since its receiver wants no more (410).";
  return reason === "failing"
    ? "It is disabled, since its receiver missed 20 events in a row."
    : "It is disabled.";
}
