import { type Input, newUuid, type sessionRoutes } from "@berth/contract";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { Queryable } from "../../db/statement.ts";
import { ownerOf, type Principal } from "../../http/principal.ts";
import { agentSnapshot } from "../agents/agent-store.ts";
import { startsWork } from "../events/append-by-client.ts";
import { prepareMessageFiles } from "../events/prepare-message-files.ts";
import { prepareResources, type ResourceDeps } from "../session-resources/prepare-resources.ts";
import type { Prepared } from "../session-resources/prepared.ts";
import { givenVaults } from "../vaults/given-vaults.ts";
import { prepareVaults } from "../vaults/prepare-vaults.ts";
import { insertSession, type NewSession } from "./insert-session.ts";
import { prepareAgent } from "./prepare-agent.ts";
import { prepareEnvironment } from "./prepare-environment.ts";
import { prepareSkills } from "./prepare-skills.ts";

type Body = Input<typeof sessionRoutes.create>["body"];

export interface CreateSessionDeps extends ResourceDeps {
  blobs: BlobStore;
}

/**
 * Stores a session and answers its uuid, and whether it is due: whether there are repositories to clone or events to act
 * on. Nothing is cloned here: that begins when a worker takes the session up.
 *
 * Refuses, in this order: hosts and mount paths; what does not exist; what the caller does not reach; what is archived
 * or not ready.
 */
export async function createSession(
  db: DatabaseAccess,
  deps: CreateSessionDeps,
  principal: Principal,
  body: Body,
): Promise<{ id: string; due: boolean }> {
  const resources = prepareResources(deps, body.resources ?? []);
  const agent = prepareAgent(body.agent);
  const environment = prepareEnvironment(body.environment_id);
  const vaults = prepareVaults(givenVaults(body));
  const events = body.initial_events ?? [];
  const messageFiles = prepareMessageFiles(deps.blobs, events, "initial_events");
  const parts: Prepared[] = [agent, environment, ...resources.kinds, vaults, messageFiles];
  await findAll(db, parts);
  for (const part of parts) part.reach(principal);
  for (const part of parts) part.checkState();

  const skills = await prepareSkills(db.read, agent.row());
  const rows = resources.rows();
  const due = startsWork(events) || rows.some(({ url }) => url !== undefined);
  const id = newUuid();
  const session: NewSession = {
    id,
    ...ownerOf(principal),
    agent_id: agent.row().id,
    agent: JSON.stringify(agentSnapshot(agent.row(), skills?.pinned())),
    environment_id: environment.row().id,
    environment_variables: body.environment_variables ?? {},
    title: body.title ?? "",
    metadata: body.metadata ?? {},
    resources: rows,
    vault_ids: vaults.ids(),
    skill_version_ids: skills?.versions() ?? [],
    events,
    due,
  };
  // The agent or the environment was archived or deleted since it was read, for good: read again, it is refused.
  const held = skills === null ? parts : [...parts, skills];
  const stored = await store(db, session, held, (tx) => messageFiles.keep(tx, id));
  if (!stored) return await createSession(db, deps, principal, body);
  return { id, due };
}

/** All are looked for at once; the first of them that fails is told. */
async function findAll(db: DatabaseAccess, parts: readonly Prepared[]): Promise<void> {
  const found = await Promise.allSettled(parts.map((part) => part.find(db.read)));
  for (const one of found) if (one.status === "rejected") throw one.reason;
}

async function store(
  db: DatabaseAccess,
  session: NewSession,
  parts: readonly Pick<Prepared, "hold">[],
  keep: (tx: Queryable) => Promise<void>,
): Promise<boolean> {
  const holding = parts.filter((part) => part.hold !== undefined);
  if (holding.length === 0) return await insertSession(db.write, session);
  return await db.transaction(async (tx) => {
    for (const part of holding) await part.hold?.(tx);
    if (!(await insertSession(tx, session))) return false;
    await keep(tx);
    return true;
  });
}
