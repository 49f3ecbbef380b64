const TABS = ["users", "accounts", "tokens", "organization", "audit", "erasures"] as const;

export type AdministrationTab = (typeof TABS)[number];

/** The open tab, its filters, and the open dialog, as search parameters. */
export type AdministrationSearch = {
  tab?: AdministrationTab;
  /** A text in what the tab lists. */
  q?: string;
  /** Id of the user or the service account whose tokens or changes are listed. */
  who?: string;
  /** Also lists revoked and expired tokens. */
  ended?: true;
  /** The first and the last day of changes, such as `2026-01-31`. */
  from?: string;
  to?: string;
  create?: true;
  /** Id of the object whose dialog is open. */
  open?: string;
};

/** Reads search parameters, which may hold anything. */
export function readAdministrationSearch(search: Record<string, unknown>): AdministrationSearch {
  const tab = TABS.find((one) => one === search.tab);
  const texts = (["q", "who", "from", "to", "open"] as const).flatMap((name) => {
    const value = search[name];
    // The router parses a numeric parameter as a number.
    const text = typeof value === "number" ? String(value) : value;
    return typeof text === "string" && text !== "" ? [[name, text]] : [];
  });
  return {
    ...(tab === undefined ? {} : { tab }),
    ...Object.fromEntries(texts),
    ...(search.ended === true ? { ended: true as const } : {}),
    ...(search.create === true ? { create: true as const } : {}),
  };
}
