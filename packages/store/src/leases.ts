export { differingSettings } from "./leases/differing-settings.ts";
export { dueSessions } from "./leases/due-sessions.ts";
export { forgetHome } from "./leases/forget-home.ts";
export {
  beatMs,
  type Host,
  isSeen,
  isSharedPlace,
  localPlace,
  milliseconds,
  SHARED_PLACES,
} from "./leases/host.ts";
export { readHosts } from "./leases/known-hosts-store.ts";
export {
  type ClaimedRow,
  HELD,
  IS_DUE,
  type Lease,
  type LeasedSession,
  leaseOf,
  leaseValues,
  sessionFields,
} from "./leases/lease.ts";
export { SAVED_AT, savedDisk } from "./leases/saved-disk-store.ts";
export { type FullOwners, mayHaveTurn, NONE_FULL, TurnPermits } from "./leases/turn-permits.ts";
