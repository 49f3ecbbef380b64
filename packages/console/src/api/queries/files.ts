import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

export const fileQuery = (id: string) =>
  queryOptions({ queryKey: ["files", id], queryFn: ({ signal }) => berth.files.get(id, { signal }) });

export type StoredFile = Awaited<ReturnType<typeof berth.files.get>>;
