/** A door of its own: commands by URL need no more of the server than how things are called. */
export { SCOPES } from "@berth/contract";
export { isLimitName, LIMIT_NAMES, type LimitName, limitValue } from "./limits/limit-names.ts";
export {
  isRetainedName,
  RETAINED_NAMES,
  type RetainedName,
  retentionDays,
} from "./retention/retention-names.ts";
