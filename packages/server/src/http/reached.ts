import { type IdKind, parseId } from "@berth/contract";
import { errors } from "./errors.ts";
import { type Owner, type Principal, reaches } from "./principal.ts";

/**
 * The row that an id of a request names, when its principal reaches it. `read` gets the uuid.
 *
 * @throws errors.notFound, also for what is not an id of this kind; errors.notYours
 */
export async function reached<Row extends Owner>(
  principal: Principal,
  kind: IdKind,
  id: string,
  read: (uuid: string) => Promise<Row | null>,
): Promise<Row> {
  const noun = kind.replaceAll("_", " ");
  const uuid = parseId(kind, id);
  const row = uuid === null ? null : await read(uuid);
  if (row === null) throw errors.notFound(noun, id);
  if (!reaches(principal, row)) throw errors.notYours(noun, id);
  return row;
}
