import { parseId } from "@berth/contract";

/** Subject of a change: the uuid of its organization, and ids in the form of the API. */
export interface Subject {
  organizationId: string | null;
  resources: string[];
}

/** @param organization id in the form of the API; null when the change is not about one organization. */
export function subject(organization: string | null, ...resources: string[]): Subject {
  return {
    organizationId: organization === null ? null : parseId("organization", organization),
    resources,
  };
}
