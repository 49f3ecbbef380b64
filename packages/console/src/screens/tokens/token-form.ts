import type { Token } from "@berth/sdk";
import type { Scope } from "./scopes.ts";

export const EXPIRY_CHOICES = [
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "latest", label: "As late as possible" },
  { value: "date", label: "On a day" },
] as const;

export type TokenForm = {
  kind: Exclude<Token["kind"], "console">;
  name: string;
  access: "all" | "some";
  scopes: Scope[];
  expiry: (typeof EXPIRY_CHOICES)[number]["value"];
  /** The last day, such as `2026-01-31`. */
  date: string;
  independent: boolean;
};

export const EMPTY_TOKEN: TokenForm = {
  kind: "pat",
  name: "",
  access: "some",
  scopes: ["sessions:read", "sessions:write", "agents:read", "environments:read"],
  expiry: "90",
  date: "",
  independent: false,
};

const DAY_MS = 86_400_000;

export function bodyOf(form: TokenForm, now: number) {
  const expires_at = expiryOf(form, now);
  return {
    kind: form.kind,
    name: form.name.trim(),
    scopes: form.access === "all" ? (["*"] satisfies Scope[]) : form.scopes,
    ...(expires_at === null ? {} : { expires_at }),
    ...(form.independent ? { independent: true } : {}),
  };
}

/**
 * Returns the expiry time; null for the latest that the service allows. It is rounded to the minute, so that
 * the example to copy does not keep changing.
 */
function expiryOf({ expiry, date }: TokenForm, now: number): string | null {
  if (expiry === "latest") return null;
  if (expiry === "date") return date === "" ? null : new Date(`${date}T23:59:59Z`).toISOString();
  return new Date(Math.floor((now + Number(expiry) * DAY_MS) / 60_000) * 60_000).toISOString();
}

/** Returns the form field that a fault belongs to, from the parameter that the service names. */
export function placeOf(param: string): string {
  return param.replace(/[.[].*$/, "");
}
