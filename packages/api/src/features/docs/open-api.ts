import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Asset } from "./asset.ts";

/** The document that `npm run openapi` writes. Generating it from the contract takes a third of a second. */
const FILE = join(import.meta.dirname, "../../../../contract/openapi.json");

/**
 * Reads the OpenAPI document of a service.
 *
 * @param publicUrl its base URL; null when clients use the URL that they connect to.
 */
export async function readOpenApi(publicUrl: string | null): Promise<Asset> {
  const document = JSON.parse(await readFile(FILE, "utf8")) as object;
  const own = { ...document, ...(publicUrl !== null && { servers: [{ url: publicUrl }] }) };
  return new Asset("application/json; charset=utf-8", JSON.stringify(own));
}
