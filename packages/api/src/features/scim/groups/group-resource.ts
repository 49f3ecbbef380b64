import { formatId, uuidTimestamp } from "@berth/contract";
import { GROUP } from "../protocol/attributes.ts";
import type { Resource } from "../protocol/evaluate-filter.ts";
import type { GroupRow, MemberRow } from "./group-store.ts";

/** Returns a group as SCIM shows it. @param base URL of SCIM. @param members those of all groups of the response. */
export function toGroupResource(row: GroupRow, base: string, members: readonly MemberRow[]): Resource {
  const id = formatId("group", row.id);
  return {
    schemas: [GROUP.id],
    id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    displayName: row.display_name,
    ...(members.length > 0 && { members: members.map((member) => toMember(member, base)) }),
    meta: {
      resourceType: GROUP.name,
      created: uuidTimestamp(row.id),
      lastModified: row.updated_at.toISOString(),
      location: `${base}${GROUP.endpoint}/${id}`,
    },
  };
}

function toMember({ user_id, display }: MemberRow, base: string): Resource {
  const id = formatId("user", user_id);
  return { value: id, $ref: `${base}/Users/${id}`, type: "User", display };
}
