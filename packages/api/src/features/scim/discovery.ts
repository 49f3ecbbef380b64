import { type Attribute, GROUP, type ResourceSchema, USER } from "./protocol/attributes.ts";
import { MAX_COUNT } from "./protocol/list-query.ts";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
const RESOURCE_SCHEMAS = [USER, GROUP] as const;

/** Returns what this service supports of SCIM (RFC 7643, section 5). @param base URL of SCIM. */
export function serviceProviderConfig(base: string): object {
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_COUNT },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "A token with the scope 'scim', in the header 'Authorization'.",
        specUri: "https://www.rfc-editor.org/rfc/rfc6750",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}

/** Returns the types of resources (RFC 7643, section 6). */
export function resourceTypes(base: string): { id: string }[] {
  return RESOURCE_SCHEMAS.map(({ id, name, endpoint, description }) => ({
    schemas: [`${CORE}:ResourceType`],
    id: name,
    name,
    endpoint,
    description,
    schema: id,
    schemaExtensions: [],
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
  }));
}

/** Returns the schemas (RFC 7643, section 7). */
export function schemas(base: string): { id: string }[] {
  return RESOURCE_SCHEMAS.map((schema) => toSchema(schema, base));
}

function toSchema({ id, name, description, attributes }: ResourceSchema, base: string) {
  return {
    schemas: [`${CORE}:Schema`],
    id,
    name,
    description,
    attributes: attributes.map(toAttribute),
    meta: { resourceType: "Schema", location: `${base}/Schemas/${id}` },
  };
}

function toAttribute(attribute: Attribute): object {
  const { name, type, description, canonicalValues, referenceTypes, subAttributes } = attribute;
  return {
    name,
    type,
    multiValued: attribute.multiValued ?? false,
    description,
    required: attribute.required ?? false,
    ...(type !== "complex" && type !== "boolean" && { caseExact: attribute.caseExact ?? false }),
    mutability: attribute.mutability ?? "readWrite",
    returned: attribute.returned ?? "default",
    uniqueness: attribute.uniqueness ?? "none",
    ...(canonicalValues !== undefined && { canonicalValues }),
    ...(referenceTypes !== undefined && { referenceTypes }),
    ...(subAttributes !== undefined && { subAttributes: subAttributes.map(toAttribute) }),
  };
}
