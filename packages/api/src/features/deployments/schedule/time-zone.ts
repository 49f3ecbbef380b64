import { nearestName } from "@berth/store/errors";

const NAMES = Intl.supportedValuesOf("timeZone");

/** Returns what is wrong with the name of a zone, as a sentence with a form that is right; null for an IANA name. */
export function timeZoneFault(name: string): string | null {
  if (/^[A-Za-z]/.test(name) && isKnown(name)) return null;
  const wanted = name.trim().replaceAll(" ", "_").toLowerCase();
  const ofCity = NAMES.find((one) => one.toLowerCase().endsWith(`/${wanted}`));
  const meant = wanted === "" ? null : (ofCity ?? nearestName(wanted, NAMES));
  return `must be the IANA name of a time zone, such as '${meant ?? "Europe/Berlin"}' or 'UTC'.`;
}

function isKnown(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
