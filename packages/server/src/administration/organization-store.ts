import { formatId, newUuid, uuidTimestamp } from "@berth/contract";
import { isUniqueViolation } from "../db/database-error.ts";
import type { Queryable } from "../db/statement.ts";
import { OperatorError } from "./as-operator.ts";

/** An organization with the number of its members. */
export interface Organization {
  id: string;
  name: string;
  users: number;
  service_accounts: number;
  created_at: string;
}

type Row = Omit<Organization, "created_at">;

/** Returns all organizations, by name. */
export async function listOrganizations(db: Queryable): Promise<Organization[]> {
  const { rows } = await db.query<Row>({
    text: `select id, name,
        (select count(*)::integer from users where organization_id = organizations.id) as users,
        (select count(*)::integer from service_accounts where organization_id = organizations.id) as service_accounts
      from organizations order by name`,
  });
  return rows.map(fromRow);
}

/** @throws OperatorError when the name is taken. */
export async function createOrganization(db: Queryable, name: string): Promise<Organization> {
  const id = newUuid();
  await unlessTaken(name, () =>
    db.query({ text: "insert into organizations (id, name) values ($1, $2)", values: [id, name] }),
  );
  return fromRow({ id, name, users: 0, service_accounts: 0 });
}

/** @throws OperatorError when `name` does not exist or `newName` is taken. */
export async function renameOrganization(db: Queryable, name: string, newName: string): Promise<void> {
  const { rowCount } = await unlessTaken(newName, () =>
    db.query({
      text: "update organizations set name = $2, updated_at = now() where name = $1",
      values: [name, newName],
    }),
  );
  if (rowCount === 0) throw noOrganization(name);
}

/** Returns the uuid of an organization by its name. @throws OperatorError when it does not exist. */
export async function organizationId(db: Queryable, name: string): Promise<string> {
  const { rows } = await db.query<{ id: string }>({
    text: "select id from organizations where name = $1",
    values: [name],
  });
  if (rows[0] === undefined) throw noOrganization(name);
  return rows[0].id;
}

function noOrganization(name: string): OperatorError {
  return new OperatorError(
    `There is no organization '${name}'. Create it with 'berth admin organizations create ${name}'.`,
  );
}

async function unlessTaken<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw new OperatorError(`The organization '${name}' already exists.`);
    throw error;
  }
}

function fromRow({ id, ...rest }: Row): Organization {
  return { id: formatId("organization", id), ...rest, created_at: uuidTimestamp(id) };
}
