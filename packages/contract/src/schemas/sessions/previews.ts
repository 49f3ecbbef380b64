import { z } from "zod";
import { deletedObject, idOf, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { sender } from "../../conventions/sender.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

/** Maximum number of previews of a session that have not expired. */
export const MAX_SESSION_PREVIEWS = 20;

export const preview = z
  .strictObject({
    id: idOf("preview"),
    type: z.literal("preview"),
    session_id: idOf("session"),
    port: z.int(),
    url: z.string().nullable().meta({
      description:
        "Opens the port in a browser until the preview expires. Whoever has it can use the preview: the part after `#` is a secret, which browsers send to no server but the preview's own. Null when the request came to an address for which the installation has no preview addresses.",
    }),
    created_by: sender,
    created_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: "Preview" });
export type Preview = z.output<typeof preview>;

const sessionParams = z.strictObject({ session_id: z.string() });
const previewParams = z.strictObject({ session_id: z.string(), preview_id: z.string() });

export const previewRoutes = {
  create: defineRoute(operations.previews.create, {
    params: sessionParams,
    body: z.strictObject({
      port: z
        .int()
        .min(1)
        .max(65_535)
        .meta({ description: "A TCP port on which a program in the sandbox listens, or will listen." }),
      expires_in_seconds: z.int().min(60).max(2_592_000).nullish().meta({
        description:
          "Seconds until the preview ends; at most what the operator allows (BERTH_PREVIEW_MAX_SECONDS, 28,800 unless changed). Default: that maximum.",
      }),
    }),
    response: preview,
  }),
  list: defineRoute(operations.previews.list, {
    params: sessionParams,
    query: listQuery("preview", {}),
    response: pageOf(preview),
  }),
  get: defineRoute(operations.previews.get, { params: previewParams, response: preview }),
  delete: defineRoute(operations.previews.delete, {
    params: previewParams,
    response: deletedObject("preview"),
  }),
};
