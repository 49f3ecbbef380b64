import { z } from "zod";
import { idOf } from "../../conventions/fields.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

export const adminSessionRoutes = {
  /** Releases a session. The operator has no other access to a session: its content is the owner's. */
  release: defineRoute(operations.adminSessions.release, {
    params: z.strictObject({ session_id: idOf("session") }),
    response: z
      .strictObject({
        id: idOf("session"),
        type: z.literal("session_released"),
        organization_id: idOf("organization"),
        was_set_aside: z
          .boolean()
          .meta({ description: "Whether the session was set aside. False: nothing has changed." }),
      })
      .meta({ id: "ReleasedSession" }),
  }),
};
export type ReleasedSession = z.output<typeof adminSessionRoutes.release.response>;
