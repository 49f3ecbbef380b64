/** Settings of a service that one owner loads alone, with more than the standing limits let through. */
export const NO_LIMITS = { BERTH_ORGANIZATION_LIMITS: "none", BERTH_USER_LIMITS: "none" };
