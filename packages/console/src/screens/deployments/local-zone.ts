/** Returns the IANA name of the browser's time zone. */
export function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
