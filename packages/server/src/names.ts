/** Separate entry point: commands by URL need only these names of the server. */
export { SCOPES, TOKEN_SCOPES } from "@berth/contract";
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
