import { parseId } from "@berth/contract";

/** What was changed: the uuid of its organization, and ids as the API shows them. */
export interface Subject {
  organizationId: string | null;
  resources: string[];
}

/** @param organization its id as the API shows it; null: it is not about one organization. */
export function subject(organization: string | null, ...resources: string[]): Subject {
  return {
    organizationId: organization === null ? null : parseId("organization", organization),
    resources,
  };
}
