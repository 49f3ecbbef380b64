import { formatId, uuidTimestamp } from "@berth/contract";
import { USER } from "../protocol/attributes.ts";
import type { Resource } from "../protocol/evaluate-filter.ts";
import { readResource } from "../protocol/read-resource.ts";
import { ScimError } from "../protocol/scim-error.ts";
import type { Email, GroupOfUser, UserRow } from "./user-store.ts";

/** A user as a client gives it. */
export type GivenUser = Pick<
  UserRow,
  "email" | "user_name" | "external_id" | "display_name" | "name" | "emails"
> & {
  /** Null when the client does not say it. */
  active: boolean | null;
};

const MAX_EMAIL = 320;

/** Returns the attributes that were given for a user, apart from `active`. */
export function givenAttributes(row: UserRow): Resource {
  return {
    ...(row.external_id !== null && { externalId: row.external_id }),
    userName: row.user_name,
    ...(row.name !== null && { name: row.name }),
    ...(row.display_name !== null && { displayName: row.display_name }),
    ...(row.emails.length > 0 && { emails: row.emails }),
  };
}

/** Returns a user as SCIM shows it. @param base URL of SCIM. @param groups those of all users of the response. */
export function toUserResource(row: UserRow, base: string, groups: readonly GroupOfUser[]): Resource {
  const id = formatId("user", row.id);
  const own = groups.filter((group) => group.user_id === row.id).map((group) => toGroupOfUser(group, base));
  return {
    schemas: [USER.id],
    id,
    ...givenAttributes(row),
    active: !row.disabled,
    ...(row.emails.length === 0 && { emails: [{ value: row.email, type: "work", primary: true }] }),
    ...(own.length > 0 && { groups: own }),
    meta: {
      resourceType: USER.name,
      created: uuidTimestamp(row.id),
      lastModified: row.updated_at.toISOString(),
      location: `${base}${USER.endpoint}/${id}`,
    },
  };
}

function toGroupOfUser({ group_id, display_name }: GroupOfUser, base: string): Resource {
  const id = formatId("group", group_id);
  return { value: id, $ref: `${base}/Groups/${id}`, display: display_name };
}

/**
 * Reads a user. The address is the primary email, else the first one, else the user name.
 *
 * @throws ScimError invalidSyntax, invalidValue
 */
export function readUser(body: unknown): GivenUser {
  const given = readResource(body, USER) as {
    userName: string;
    externalId?: string;
    displayName?: string;
    name?: Record<string, string>;
    active?: boolean;
    emails?: Email[];
  };
  const emails = (given.emails ?? []).filter(({ value }) => value !== undefined);
  if (emails.filter(({ primary }) => primary === true).length > 1)
    throw new ScimError("invalidValue", "Only one of the emails can be primary.");
  const email = (emails.find(({ primary }) => primary === true) ?? emails[0])?.value ?? given.userName;
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > MAX_EMAIL)
    throw new ScimError(
      "invalidValue",
      "The primary email, or without emails the user name, must be an email address.",
    );
  return {
    email,
    user_name: given.userName,
    external_id: given.externalId ?? null,
    display_name: given.displayName ?? null,
    name: given.name ?? null,
    emails,
    active: given.active ?? null,
  };
}
