import { z } from "zod";
import { access, shares } from "../conventions/sharing.ts";
import type { Operation } from "./operation.ts";
import { defineRoute } from "./route.ts";

const user = z.string().min(1).max(320).optional().meta({
  description: "The id or the email address of a user of the organization. Default: the whole organization.",
});

/** Returns the routes by which an owner shares an object. @param params of the object's path. */
export function sharingRoutes<Params extends z.ZodType>(
  operations: Readonly<Record<"share" | "unshare" | "shares", Operation>>,
  params: Params,
) {
  return {
    share: defineRoute(operations.share, {
      params,
      body: z.strictObject({
        user,
        access: access.optional().meta({
          description: "Default `read`. A whole organization can have `write` only for a session.",
        }),
      }),
      response: shares,
    }),
    unshare: defineRoute(operations.unshare, { params, query: z.strictObject({ user }), response: shares }),
    shares: defineRoute(operations.shares, { params, response: shares }),
  };
}
