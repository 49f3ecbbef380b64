import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async ({ signal }) => (await berth.models.list({}, { signal })).data,
  staleTime: 300_000,
});

/**
 * Returns the model that a form starts with: the default one, else the first. Returns null until models have
 * loaded, or if there are none.
 */
export function initialModel(models: readonly { id: string; default: boolean }[] = []): string | null {
  return (models.find((model) => model.default) ?? models[0])?.id ?? null;
}
