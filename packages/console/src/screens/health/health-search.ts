export const HEALTH_TABS = ["overview", "api"] as const;
export type HealthTab = (typeof HEALTH_TABS)[number];

/** What the page shows, as the address has it. */
export type HealthSearch = {
  tab?: HealthTab;
  /** Only checks that are not well. */
  faults?: true;
};

/** Reads an address, in which anything may stand. */
export function readHealthSearch({ tab, faults }: Record<string, unknown>): HealthSearch {
  return { ...(tab === "api" ? { tab } : {}), ...(faults === true ? { faults } : {}) };
}
