/** A door of its own: commands by URL need no more of the server than how things are called. */
export { SCOPES } from "@berth/contract";
export {
  isLimitName,
  isRetainedName,
  LIMIT_NAMES,
  type LimitName,
  limitValue,
  RETAINED_NAMES,
  type RetainedName,
  retentionDays,
} from "@berth/store/names";
