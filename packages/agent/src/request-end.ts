import type { ModelUsage } from "@berth/contract";
import type { Draft } from "./log.ts";

/** The end of a request; without usage, of one that failed or was cut off and leaves nothing. */
export function requestEnd(start: string, usage: ModelUsage | null): Draft {
  return {
    event: {
      type: "span.model_request_end",
      model_request_start_id: start,
      is_error: usage === null,
      model_usage: usage,
    },
  };
}
