import { z } from "zod";
import { idOf } from "../../conventions/fields.ts";

/** Why a turn ended. */
export const stopReason = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.enum(["end_turn", "retries_exhausted", "cancelled", "refusal", "max_turns"]) }),
    z.strictObject({
      type: z.literal("requires_action"),
      event_ids: z.array(idOf("event")).meta({
        description:
          "The calls that wait: for a `user.tool_confirmation`, or an `agent.custom_tool_use` for a `user.custom_tool_result`.",
      }),
    }),
  ])
  .meta({ id: "StopReason" });
export type StopReason = z.output<typeof stopReason>;
