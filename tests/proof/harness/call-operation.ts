import { type AnyJson, Api, type ApiResponse } from "../../acceptance/harness/api.ts";
import { address, type DescribedOperation } from "./openapi-document.ts";
import { type TenantObjects, validBody, validForm } from "./tenant-objects.ts";

/** Calls an operation on the objects, with a valid body. For a stream, only status and headers are read. */
export async function callOperation(
  api: Api,
  operation: DescribedOperation,
  objects: TenantObjects,
): Promise<ApiResponse> {
  const path = address(operation, objects.ids);
  if (operation.id.endsWith(".stream")) return await readHead(api, path);
  switch (operation.body?.type) {
    case undefined:
      return await api.call(operation.method, path + requiredQuery(operation));
    case "application/json":
      return await api.call(operation.method, path, await bodyOf(api, operation.id, objects));
    case "multipart/form-data":
      return await api.call(operation.method, path, undefined, { raw: validForm(operation.id, objects) });
    default:
      return await api.call(operation.method, path, undefined, { raw: "content" });
  }
}

/** Returns a valid body. A device authorization can be decided only once, so each call gets a new one. */
async function bodyOf(api: Api, id: string, objects: TenantObjects): Promise<AnyJson> {
  if (!/^deviceAuthorizations\.(lookup|approve|deny)$/.test(id)) return validBody(id, objects);
  const { user_code } = await new Api(api.url, null).ok("POST", "/device_authorizations", {});
  return { user_code };
}

/** Calls a list once for each filter that names one of the objects. */
export async function callByFilter(
  api: Api,
  operation: DescribedOperation,
  { ids }: TenantObjects,
): Promise<ApiResponse[]> {
  const path = address(operation, ids);
  const pairs = operation.query.flatMap(({ name, required }): [string, string][] => {
    const id = ids[ID_OF_FILTER[name] ?? name];
    return required || id === undefined ? [] : [[name, id]];
  });
  return await Promise.all(pairs.map((pair) => api.get(`${path}?${new URLSearchParams([pair])}`)));
}

/** Path parameters of filters that have another name. */
const ID_OF_FILTER: Record<string, string> = { scope_id: "session_id", "ids[]": "file_id" };

function requiredQuery({ query }: DescribedOperation): string {
  const pairs = query
    .filter(({ required }) => required)
    .map(
      ({ name, schema }) =>
        [name, String(schema.enum?.[0] ?? schema.examples?.[0] ?? "")] as [string, string],
    );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

async function readHead(api: Api, path: string): Promise<ApiResponse> {
  const abort = new AbortController();
  const response = await fetch(api.address(path), {
    headers: api.headers(),
    signal: abort.signal,
  });
  const { status, headers } = response;
  if (status !== 200) return { status, headers, body: await response.json() };
  abort.abort();
  return { status, headers, body: null };
}
