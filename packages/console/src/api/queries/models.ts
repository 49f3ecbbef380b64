import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async ({ signal }) => (await berth.models.list({}, { signal })).data,
  staleTime: 300_000,
});

/** The id of the model that is taken where none is chosen; null while there is none, or none is known. */
export function usualModel(models: readonly { id: string; default: boolean }[] = []): string | null {
  return (models.find((model) => model.default) ?? models[0])?.id ?? null;
}
