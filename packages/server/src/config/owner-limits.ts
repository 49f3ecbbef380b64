import { isLimitName, LIMIT_NAMES, type LimitName, type LimitValues, limitValue } from "@berth/store/names";
import { list } from "./parsers.ts";

/**
 * Parses limits such as `open_sessions=50,file_bytes=none`. `none` alone removes every limit. A name that is
 * missing has its default.
 * @throws Error with a clause for the operator.
 */
export function ownerLimits(text: string): LimitValues {
  if (text === "none") return Object.fromEntries(LIMIT_NAMES.map((name) => [name, null]));
  const limits: LimitValues = {};
  for (const item of list(text)) {
    const [, name = "", value = ""] = /^([a-z_]+)=(.*)$/.exec(item) ?? [];
    if (!isLimitName(name))
      throw new Error(
        `must be a list such as open_sessions=50,file_bytes=1000000000, of ${LIMIT_NAMES.join(", ")}, but ${item} is none of these`,
      );
    limits[name] = amountOf(name, value);
  }
  return limits;
}

function amountOf(name: LimitName, value: string): number | null {
  if (value === "none") return null;
  try {
    return limitValue(name, value);
  } catch (error) {
    throw new Error(`${(error as Error).message} or none, but ${name}=${value} is not`);
  }
}

/**
 * Parses limits per client address, such as `requests_per_second=5,request_burst=20`; `none` means no limit.
 * @throws Error with a clause for the operator.
 */
export function addressLimits(text: string): LimitValues {
  if (text === "none") return {};
  const { requests_per_second: perSecond, request_burst: burst, ...others } = ownerLimits(text);
  const [wrong] = Object.keys(others);
  if (wrong !== undefined)
    throw new Error(
      `must be a list such as requests_per_second=5,request_burst=20, but has ${wrong}, which is not counted by address`,
    );
  if (perSecond == null) throw new Error("must have requests_per_second");
  return { requests_per_second: perSecond, ...(burst !== undefined && { request_burst: burst }) };
}
