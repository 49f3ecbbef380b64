import assert from "node:assert/strict";

/** Parsed JSON of a service. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert on JSON of any shape
export type Json = any;

/** The schemas of a service, by id. */
export type Schemas = ReadonlyMap<string, Json>;

const MESSAGES = "urn:ietf:params:scim:api:messages:2.0";

/** RFC 7644, table 9. */
const SCIM_TYPES: Readonly<Record<number, readonly string[]>> = {
  400: [
    "invalidFilter",
    "tooMany",
    "mutability",
    "invalidSyntax",
    "invalidPath",
    "noTarget",
    "invalidValue",
    "invalidVers",
    "sensitive",
  ],
  409: ["uniqueness"],
};

/** Checks an error (RFC 7644, section 3.12). */
export function checkError(body: Json, status: number): void {
  assert.deepEqual(body.schemas, [`${MESSAGES}:Error`]);
  assert.equal(body.status, `${status}`);
  assert.equal(typeof body.detail, "string");
  if (body.scimType !== undefined) assert.ok(SCIM_TYPES[status]?.includes(body.scimType), body.scimType);
  const known = ["schemas", "status", "scimType", "detail"];
  assert.deepEqual(
    Object.keys(body).filter((name) => !known.includes(name)),
    [],
  );
}

/** Checks a list (RFC 7644, section 3.4.2), and returns it. */
export function checkList(body: Json): Json {
  assert.deepEqual(body.schemas, [`${MESSAGES}:ListResponse`]);
  assert.ok(Number.isInteger(body.totalResults) && body.totalResults >= 0);
  assert.ok(Number.isInteger(body.startIndex) && body.startIndex >= 1);
  assert.equal(body.itemsPerPage, body.Resources.length);
  assert.ok(body.Resources.length <= body.totalResults);
  return body;
}

/** Checks a resource against its schema and the common attributes (RFC 7643, sections 2 and 3). */
export function checkResource(resource: Json, schemas: Schemas, base: string): void {
  const { schemas: urns, id, externalId, meta, ...attributes } = resource;
  assert.ok(Array.isArray(urns) && urns.length === 1, JSON.stringify(urns));
  const schema = schemas.get(urns[0]);
  assert.ok(schema !== undefined, urns[0]);
  assert.ok(typeof id === "string" && id !== "" && id !== "bulkId");
  assert.ok(externalId === undefined || typeof externalId === "string");
  assert.equal(meta.resourceType, schema.name);
  assert.equal(meta.location, `${base}/${schema.name}s/${id}`);
  for (const name of ["created", "lastModified"])
    assert.match(meta[name], /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
  assert.ok(meta.lastModified >= meta.created);
  checkAttributes(attributes, schema.attributes, schema.name);
}

function checkAttributes(given: Json, attributes: Json[], where: string): void {
  for (const [name, value] of Object.entries(given)) {
    const attribute = attributes.find((one) => one.name === name);
    assert.ok(attribute !== undefined, `${where}.${name} is in no schema`);
    assert.notEqual(attribute.returned, "never");
    assert.equal(Array.isArray(value), attribute.multiValued, `${where}.${name}`);
    const values = Array.isArray(value) ? value : [value];
    assert.ok(values.length > 0, `${where}.${name} is empty`);
    assert.ok(
      values.filter((one) => one?.primary === true).length <= 1,
      `${where}.${name} has several primary`,
    );
    for (const one of values) checkValue(one, attribute, `${where}.${name}`);
  }
  for (const { name, required } of attributes)
    if (required) assert.ok(given[name] !== undefined, `${where}.${name} is missing`);
}

function checkValue(value: Json, attribute: Json, where: string): void {
  if (attribute.type === "complex") checkAttributes(value, attribute.subAttributes, where);
  else assert.equal(typeof value, attribute.type === "boolean" ? "boolean" : "string", where);
}
