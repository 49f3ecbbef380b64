import type { IdKind } from "@berth/contract";

/** An attribute, with the characteristics of RFC 7643, section 7, that differ from its defaults. */
export interface Attribute {
  name: string;
  description: string;
  type: "string" | "boolean" | "complex" | "dateTime" | "reference";
  multiValued?: true;
  required?: true;
  /** Default: case does not matter. */
  caseExact?: true;
  mutability?: "readOnly";
  returned?: "always";
  uniqueness?: "server";
  canonicalValues?: readonly string[];
  referenceTypes?: readonly string[];
  subAttributes?: readonly Attribute[];
  /** Set when the values are ids of Berth, which are only compared as a whole. */
  idKind?: IdKind;
}

/** The attributes of a type of resource. */
export interface ResourceSchema {
  id: string;
  name: "User" | "Group";
  endpoint: "/Users" | "/Groups";
  description: string;
  /** The attributes that `Schemas` describes. */
  attributes: readonly Attribute[];
  /** Those and the common attributes of all resources. */
  all: readonly Attribute[];
}

const string = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  description,
  type: "string",
  ...more,
});

const READ_ONLY = { mutability: "readOnly" } as const;

/** The common attributes (RFC 7643, section 3.1), which no schema lists. */
function commonAttributes(idKind: IdKind): readonly Attribute[] {
  const time = (name: string) => ({ name, description: "", type: "dateTime", ...READ_ONLY }) as const;
  return [
    string("id", "", { caseExact: true, returned: "always", idKind, ...READ_ONLY }),
    string("externalId", "", { caseExact: true }),
    {
      name: "meta",
      description: "",
      type: "complex",
      ...READ_ONLY,
      subAttributes: [time("created"), time("lastModified")],
    },
  ];
}

const USER_ATTRIBUTES: readonly Attribute[] = [
  string("userName", "The name by which the identity provider knows the user.", {
    required: true,
    uniqueness: "server",
  }),
  {
    name: "name",
    description: "The parts of the user's name.",
    type: "complex",
    subAttributes: [
      string("formatted", "The whole name."),
      string("familyName", "The family name."),
      string("givenName", "The given name."),
      string("middleName", "The middle name."),
      string("honorificPrefix", "What stands before the name."),
      string("honorificSuffix", "What stands after the name."),
    ],
  },
  string("displayName", "The name to show."),
  {
    name: "active",
    description: "Whether the user may use the service.",
    type: "boolean",
  },
  {
    name: "emails",
    description:
      "Email addresses. The primary one, else the first, else the user name, is the user's address in Berth.",
    type: "complex",
    multiValued: true,
    subAttributes: [
      string("value", "The address."),
      string("display", "The address to show."),
      string("type", "The kind of address.", { canonicalValues: ["work", "home", "other"] }),
      { name: "primary", description: "Whether it is the main address.", type: "boolean" },
    ],
  },
  {
    name: "groups",
    description: "The groups that the user is a member of.",
    type: "complex",
    multiValued: true,
    ...READ_ONLY,
    subAttributes: [
      string("value", "The group's id.", { caseExact: true, idKind: "group", ...READ_ONLY }),
      {
        name: "$ref",
        description: "The group's address.",
        type: "reference",
        referenceTypes: ["Group"],
        caseExact: true,
        ...READ_ONLY,
      },
      string("display", "The group's name.", READ_ONLY),
    ],
  },
];

const GROUP_ATTRIBUTES: readonly Attribute[] = [
  string("displayName", "The group's name.", { required: true, uniqueness: "server" }),
  {
    name: "members",
    description: "The users in the group.",
    type: "complex",
    multiValued: true,
    subAttributes: [
      string("value", "The user's id.", { caseExact: true, idKind: "user" }),
      {
        name: "$ref",
        description: "The user's address.",
        type: "reference",
        referenceTypes: ["User"],
        caseExact: true,
      },
      string("type", "The kind of member.", { canonicalValues: ["User"] }),
      string("display", "The user's name.", READ_ONLY),
    ],
  },
];

export const USER: ResourceSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:User",
  name: "User",
  endpoint: "/Users",
  description: "A user of the organization",
  attributes: USER_ATTRIBUTES,
  all: [...commonAttributes("user"), ...USER_ATTRIBUTES],
};

export const GROUP: ResourceSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:Group",
  name: "Group",
  endpoint: "/Groups",
  description: "A group of users",
  attributes: GROUP_ATTRIBUTES,
  all: [...commonAttributes("group"), ...GROUP_ATTRIBUTES],
};

/** Returns the attribute of this name, in any case; undefined when there is none. */
export function attributeNamed(
  attributes: readonly Attribute[] | undefined,
  name: string,
): Attribute | undefined {
  const lower = name.toLowerCase();
  return attributes?.find((attribute) => attribute.name.toLowerCase() === lower);
}

/** Returns a path without the URN of the schema, which may stand before each name. */
export function withoutSchema({ id }: ResourceSchema, path: string): string {
  return path.toLowerCase().startsWith(`${id.toLowerCase()}:`) ? path.slice(id.length + 1) : path;
}
