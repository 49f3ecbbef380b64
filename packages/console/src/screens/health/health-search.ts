export const HEALTH_TABS = ["overview", "api"] as const;
export type HealthTab = (typeof HEALTH_TABS)[number];

/** The state of the page, as search parameters. */
export type HealthSearch = {
  tab?: HealthTab;
  /** Shows only failed and degraded checks. */
  faults?: true;
};

/** Reads search parameters, which may hold anything. */
export function readHealthSearch({ tab, faults }: Record<string, unknown>): HealthSearch {
  return { ...(tab === "api" ? { tab } : {}), ...(faults === true ? { faults } : {}) };
}
