import { z } from "zod";
import { idOf, owner } from "./fields.ts";
import { flag } from "./page.ts";

export const visibility = z.enum(["private", "organization"]).meta({
  description:
    "`private`: for its owner, the admins of the organization, and the users whom the owner named. `organization`: for all its members. What an organization owns is for all of them.",
});
export type Visibility = z.output<typeof visibility>;

/** `visibility` of a request that creates an object. */
export const visibilityInput = visibility.optional().meta({
  description: "Default: the `default_visibility` of the organization, which is `private` at first.",
});

/** The fields of an object's owner, and of who else sees it. */
export const sharedOwner = { ...owner, visibility };

export const access = z.enum(["read", "write"]).meta({
  description:
    "`read`: see it and use it, and follow a session. `write`: change it too, and write to a session. Only its owner and admins share, archive and delete it.",
});
export type ShareAccess = z.output<typeof access>;

const organizationMember = z.strictObject({
  type: z.literal("organization"),
  id: idOf("organization"),
  name: z.string(),
});
const userMember = z.strictObject({ type: z.literal("user"), id: idOf("user"), name: z.string() });

export const shares = z
  .strictObject({
    type: z.literal("shares"),
    visibility,
    owner: z.union([userMember, organizationMember]),
    your_access: z.enum(["own", "read", "write"]).meta({ description: "What the caller may do." }),
    data: z.array(z.strictObject({ with: z.union([organizationMember, userMember]), access })).meta({
      description: "With whom it is shared: the organization first, then users.",
    }),
  })
  .meta({ id: "Shares" });
export type Shares = z.output<typeof shares>;

/** `shared_with_me` of a list. */
export const sharedWithMe = flag.meta({
  description: "Return only what other users own and share with the caller or with the organization.",
});
