import type { ForwardResource } from "@berth/sdk";
import type { IconName } from "../../ui/icon.tsx";

export type ForwardType = ForwardResource["type"];

/** The types of resources that can be registered. */
export const FORWARD_TYPES = [
  { value: "environment", label: "Environments", one: "environment", icon: "environment" },
  { value: "skill", label: "Skills", one: "skill", icon: "skill" },
  { value: "file", label: "Files", one: "file", icon: "file" },
  { value: "vault", label: "Vaults", one: "vault", icon: "vault" },
] as const satisfies readonly { value: ForwardType; label: string; one: string; icon: IconName }[];

/** The state of the page, as search parameters. */
export type ForwardSearch = { type?: ForwardType; q?: string; create?: true; resource?: string };

/** Reads search parameters, which may hold anything. */
export function readForwardSearch(search: Record<string, unknown>): ForwardSearch {
  const { q, resource } = search;
  const type = FORWARD_TYPES.find(({ value }) => value === search.type)?.value;
  return {
    ...(type === undefined || type === "environment" ? {} : { type }),
    ...(typeof q === "string" && q !== "" ? { q } : typeof q === "number" ? { q: String(q) } : {}),
    ...(search.create === true ? { create: true as const } : {}),
    ...(typeof resource === "string" && resource !== "" ? { resource } : {}),
  };
}

/** Returns the name of a registered resource. */
export function nameOf({ resource_spec: spec, id }: Pick<ForwardResource, "id" | "resource_spec">): string {
  if ("display_name" in spec) return spec.display_name;
  if ("filename" in spec) return spec.filename;
  return "name" in spec ? spec.name : id;
}
