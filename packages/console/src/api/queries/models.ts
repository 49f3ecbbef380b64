import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async ({ signal }) => (await berth.models.list({}, { signal })).data,
  staleTime: 300_000,
});

/** The id of the model that a form starts with: the default one, or else the first. Null until they are loaded, and where there are none. */
export function initialModel(models: readonly { id: string; default: boolean }[] = []): string | null {
  return (models.find((model) => model.default) ?? models[0])?.id ?? null;
}
