import { isLimitName, LIMIT_NAMES, type LimitValues, limitValue } from "../limits/limit-names.ts";
import { list } from "./parsers.ts";

/** Limits as `open_sessions=50,file_bytes=1000000000`. */
export function ownerLimits(text: string): LimitValues {
  const limits: LimitValues = {};
  for (const item of list(text)) {
    const [, name = "", value = ""] = /^([a-z_]+)=([0-9]{1,15})$/.exec(item) ?? [];
    if (!isLimitName(name))
      throw new Error(
        `must be a list such as open_sessions=50,file_bytes=1000000000, of ${LIMIT_NAMES.join(", ")}, and ${item} is none of these`,
      );
    limits[name] = limitValue(value);
  }
  return limits;
}
