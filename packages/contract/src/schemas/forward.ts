import { z } from "zod";
import { idOf } from "../conventions/fields.ts";
import { parseId } from "../conventions/ids.ts";
import { pageQuery } from "../conventions/page.ts";
import { operations } from "../operations/operations.ts";
import { defineRoute } from "../operations/route.ts";
import { skill } from "./agents/skills.ts";
import { environment } from "./environments/environments.ts";
import { file } from "./files.ts";
import { vault } from "./vaults/vaults.ts";

/** What can be registered. */
export const FORWARD_TYPES = ["skill", "file", "vault", "environment"] as const;
export type ForwardType = (typeof FORWARD_TYPES)[number];

const type = z.enum(FORWARD_TYPES);

export const forwardResource = z
  .strictObject({
    id: z.string().meta({ description: "Of the resource." }),
    type,
    owner_type: z.literal("user"),
    owner_id: idOf("user").meta({ description: "Who registered it." }),
    resource_spec: z
      .union([skill, file, vault, environment])
      .meta({ description: "The resource as it is now, as its own endpoint answers it." }),
  })
  .meta({ id: "ForwardResource" });
export type ForwardResource = z.output<typeof forwardResource>;

const anchor = z.string().max(64).optional();

const listQuery = z
  .strictObject({
    type,
    limit: pageQuery.limit,
    before_id: anchor.meta({ description: "The page that directly precedes this resource in the list." }),
    after_id: anchor.meta({ description: "What follows this resource in the list." }),
  })
  .superRefine((query, context) => {
    if (query.before_id !== undefined && query.after_id !== undefined) {
      const message = "Only one of 'before_id' and 'after_id' may be given.";
      context.addIssue({ code: "custom", path: ["before_id"], message });
    }
    for (const name of ["before_id", "after_id"] as const) {
      const id = query[name];
      if (id === undefined || parseId(query.type, id) !== null) continue;
      const message = `Field '${name}' must be the id of a resource of type '${query.type}'.`;
      context.addIssue({ code: "custom", path: [name], message });
    }
  });

export const forwardRoutes = {
  /** The resource exists already, and the caller reaches it. Registering it again changes nothing that is shown. */
  register: defineRoute(operations.forward.register, {
    body: z.strictObject({
      type,
      resource: z
        .looseObject({ id: z.string().min(1).max(256) })
        .meta({ description: "Only its `id` is read." }),
    }),
    response: z.strictObject({ id: z.string(), type }),
  }),
  /**
   * Newest registration first. What is deleted, archived or out of the caller's reach by now is left out, so that a page may
   * hold fewer than `limit`, or none, while `has_more` is true; `last_id` leads on from it all the same.
   */
  list: defineRoute(operations.forward.list, {
    query: listQuery,
    response: z.strictObject({
      data: z.array(forwardResource),
      has_more: z.boolean(),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
    }),
  }),
};
