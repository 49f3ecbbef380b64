/** A separate entry point: settings and commands by URL need only the store's names, not the rest of it. */
export { blobDirectory } from "./blobs/blob-directory.ts";
export { isS3Place, parseS3Place } from "./blobs/s3/s3-place.ts";
export {
  isLimitName,
  LIMIT_NAMES,
  type LimitName,
  type LimitValues,
  limitValue,
} from "./limits/limit-names.ts";
export { countedLimit, type DefaultLimits, limitsOver } from "./limits/limit-values.ts";
export {
  isRetainedName,
  RETAINED_NAMES,
  type RetainedName,
  type RetentionDays,
  retentionDays,
} from "./retention/retention-names.ts";
export { traceSettings } from "./traces/trace-settings.ts";
