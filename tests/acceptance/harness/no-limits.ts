/** Settings without limits, for a service that a single owner loads beyond the default limits. */
export const NO_LIMITS = { BERTH_ORGANIZATION_LIMITS: "none", BERTH_USER_LIMITS: "none" };
