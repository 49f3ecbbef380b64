import { isRetainedName, RETAINED_NAMES, type RetentionDays, retentionDays } from "@berth/store/names";
import { list } from "./parsers.ts";

/** Parses days such as `sessions=90,files=30`. @throws Error with a clause for the operator. */
export function retention(text: string): RetentionDays {
  const days: RetentionDays = {};
  for (const item of list(text)) {
    const [, name = "", value = ""] = /^([a-z]+)=(.*)$/.exec(item) ?? [];
    if (!isRetainedName(name))
      throw new Error(
        `must be a list such as sessions=90,files=30, of ${RETAINED_NAMES.join(", ")}, but ${item} is none of these`,
      );
    days[name] = daysOf(name, value);
  }
  return days;
}

function daysOf(name: string, value: string): number {
  try {
    return retentionDays(value);
  } catch (error) {
    throw new Error(`${(error as Error).message}, but ${name}=${value} is not`);
  }
}
