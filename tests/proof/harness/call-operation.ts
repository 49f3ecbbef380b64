import type { Api, ApiResponse } from "../../acceptance/harness/api.ts";
import { address, type DescribedOperation } from "./document.ts";
import { fittingBody, fittingForm, type World } from "./world.ts";

/** Calls an operation on the objects of a world, with a body that it takes. Of a stream only the head is read. */
export async function callOperation(
  api: Api,
  operation: DescribedOperation,
  world: World,
): Promise<ApiResponse> {
  const path = address(operation, world.ids);
  if (operation.id.endsWith(".stream")) return await headOf(api, path);
  switch (operation.body?.type) {
    case undefined:
      return await api.call(operation.method, path + requiredQuery(operation));
    case "application/json":
      return await api.call(operation.method, path, fittingBody(operation.id, world));
    case "multipart/form-data":
      return await api.call(operation.method, path, undefined, { raw: fittingForm(operation.id, world) });
    default:
      return await api.call(operation.method, path, undefined, { raw: "content" });
  }
}

function requiredQuery({ query }: DescribedOperation): string {
  const pairs = query
    .filter(({ required }) => required)
    .map(({ name, schema }) => [name, String(schema.enum?.[0] ?? "")] as [string, string]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

async function headOf(api: Api, path: string): Promise<ApiResponse> {
  const gone = new AbortController();
  const response = await fetch(api.address(path), {
    headers: api.headers(),
    signal: gone.signal,
  });
  const { status, headers } = response;
  if (status !== 200) return { status, headers, body: await response.json() };
  gone.abort();
  return { status, headers, body: null };
}
