export { AddressRates } from "./limits/address-rates.ts";
export { CodeAttempts } from "./limits/code-attempts.ts";
export { lockLimit, readLimits, removeLimit, storeLimit } from "./limits/limit-store.ts";
export { fullNetwork, networkOf, networksOf } from "./limits/networks-of.ts";
export { type Limit, OwnerLimits, overLimit } from "./limits/owner-limits.ts";
export type { OverRate, Rate, RateGroups, Rates } from "./limits/rates.ts";
export { ownRates } from "./limits/request-rates.ts";
export { splitRates } from "./limits/split-rates.ts";
