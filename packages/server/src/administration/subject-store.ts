import { formatId } from "@berth/contract";
import { tokenHash } from "../access/token-secret.ts";
import type { Queryable } from "../db/statement.ts";

/** What a command changed: the id of its organization, a uuid, and ids as the API shows them. */
export interface Subject {
  organizationId: string | null;
  resources: string[];
}

type Kind = Parameters<typeof formatId>[0];
type Row = { id: string; organization_id: string };

export async function organizationSubject(db: Queryable, name: string): Promise<Subject> {
  const text = "select id, id as organization_id from organizations where name = $1";
  return await subject(db, "organization", text, [name]);
}

export async function userSubject(db: Queryable, email: string): Promise<Subject> {
  return await subject(db, "user", "select id, organization_id from users where email = $1", [email]);
}

export async function serviceAccountSubject(
  db: Queryable,
  { name, organization }: { name: string; organization: string },
): Promise<Subject> {
  const text = `select service_accounts.id, organization_id
    from service_accounts join organizations on organizations.id = organization_id
    where service_accounts.name = $1 and organizations.name = $2`;
  return await subject(db, "service_account", text, [name, organization]);
}

/** @param secret The token itself. */
export async function tokenSubject(db: Queryable, secret: string): Promise<Subject> {
  return await subject(db, "token", "select id, organization_id from tokens where hash = $1", [
    tokenHash(secret),
  ]);
}

async function subject(db: Queryable, kind: Kind, text: string, values: unknown[]): Promise<Subject> {
  const { rows } = await db.query<Row>({ text, values });
  const [row] = rows;
  return row === undefined
    ? { organizationId: null, resources: [] }
    : { organizationId: row.organization_id, resources: [formatId(kind, row.id)] };
}
