import { z } from "zod";
import { deletedObject } from "../conventions/fields.ts";
import type { IdKind } from "../conventions/ids.ts";
import { flag, listQuery, pageOf } from "../conventions/page.ts";
import type { Operation } from "../operations/operation.ts";
import { defineRoute } from "../operations/route.ts";

interface Schemas<Kind, Object, Params, Within, Create, Update, List> {
  /** Kind of the ids of the objects. */
  kind: Kind;
  object: Object;
  /** Parameters of the path of one object. */
  params: Params;
  /** Parameters of the path of the list, if the objects belong to another one. */
  within?: Within;
  create: Create;
  update: Update;
  /** Query of the list. Default: that of objects that can be archived. */
  list?: List;
}

type Verb = "create" | "list" | "get" | "update" | "delete";
const nothing = z.strictObject({});
const archivable = <Kind extends IdKind>(kind: Kind) => listQuery(kind, { include_archived: flag });

/** Returns the routes of objects that clients create, list, read, update and delete. */
export function crud<
  Kind extends IdKind,
  Object extends z.ZodType,
  Params extends z.ZodType,
  Create extends z.ZodType,
  Update extends z.ZodType,
  Within extends z.ZodType = typeof nothing,
  List extends z.ZodType = ReturnType<typeof archivable<Kind>>,
>(
  operations: Readonly<Record<Verb, Operation>>,
  schemas: Schemas<Kind, Object, Params, Within, Create, Update, List>,
) {
  const { kind, object: response, params } = schemas;
  const within = (schemas.within ?? nothing) as Within;
  const query = (schemas.list ?? archivable(kind)) as List;
  return {
    create: defineRoute(operations.create, { params: within, body: schemas.create, response }),
    list: defineRoute(operations.list, { params: within, query, response: pageOf(response) }),
    get: defineRoute(operations.get, { params, response }),
    update: defineRoute(operations.update, { params, body: schemas.update, response }),
    delete: defineRoute(operations.delete, { params, response: deletedObject(kind) }),
  };
}
