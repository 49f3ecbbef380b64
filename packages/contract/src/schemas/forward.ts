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

/** The types of resources that can be registered. */
export const FORWARD_TYPES = ["skill", "file", "vault", "environment"] as const;
export type ForwardType = (typeof FORWARD_TYPES)[number];

const type = z.enum(FORWARD_TYPES);

export const forwardResource = z
  .strictObject({
    id: z.string().meta({ description: "The id of the resource." }),
    type,
    owner_type: z.literal("user"),
    owner_id: idOf("user").meta({ description: "The user who registered the resource." }),
    resource_spec: z
      .union([skill, file, vault, environment])
      .meta({ description: "The current resource, as its own endpoint returns it." }),
  })
  .meta({ id: "ForwardResource" });
export type ForwardResource = z.output<typeof forwardResource>;

const anchor = z.string().max(64).optional();

const listQuery = z
  .strictObject({
    type,
    limit: pageQuery.limit,
    before_id: anchor.meta({ description: "Return the resources directly before this one in the list." }),
    after_id: anchor.meta({ description: "Return the resources after this one in the list." }),
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
  /** Registers a resource that the caller has access to. Registering it again changes nothing. */
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
   * Lists registrations, newest first. Resources that were deleted or archived, or to which the caller lost
   * access, are left out. So a page can have fewer objects than `limit`, even none, while `has_more` is true.
   * `last_id` is still the cursor for the next page.
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
