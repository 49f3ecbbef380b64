import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Asset } from "./asset.ts";

/** The document as `npm run openapi` writes it. To make it from the contract takes a third of a second. */
const FILE = join(import.meta.dirname, "../../../../contract/openapi.json");

/** The OpenAPI document of a service. @param publicUrl where clients find it; null: where they found it. */
export async function readOpenApi(publicUrl: string | null): Promise<Asset> {
  const document = JSON.parse(await readFile(FILE, "utf8")) as object;
  const own = { ...document, ...(publicUrl !== null && { servers: [{ url: publicUrl }] }) };
  return new Asset("application/json; charset=utf-8", JSON.stringify(own));
}
