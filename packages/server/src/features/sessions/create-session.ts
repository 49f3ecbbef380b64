import { type Input, newUuid, parseId, type ResourceInput, type sessionRoutes } from "@berth/contract";
import type { DatabaseAccess } from "../../db/pool.ts";
import { errors } from "../../http/errors.ts";
import { type Owner, ownerOf, type Principal, reaches } from "../../http/principal.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import { type AgentRow, agentSnapshot, getAgent } from "../agents/agent-store.ts";
import { getVersion } from "../agents/agent-version-store.ts";
import { getEnvironment } from "../environments/environment-store.ts";
import { type FileRow, getFiles, lockFiles } from "../files/file-store.ts";
import { placeResources } from "../session-resources/place-resources.ts";
import { sealToken } from "../session-resources/resource-secret.ts";
import { insertSession, type NewResource, type NewSession } from "./session-store.ts";

type Body = Input<typeof sessionRoutes.create>["body"];

export interface CreateSessionDeps {
  secrets: SecretBox;
  /** Hosts, with their port where it is not 443, whose repositories can be attached. */
  repositoryHosts: ReadonlySet<string>;
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
  const inputs = body.resources ?? [];
  const events = body.initial_events ?? [];
  checkHosts(inputs, deps.repositoryHosts);
  checkFilesOnce(inputs);
  const places = placeResources(inputs);
  const [agent, environment, files] = await Promise.all([
    findAgent(db, body.agent),
    findEnvironment(db, body.environment_id),
    findFiles(db, inputs),
  ]);
  reach(principal, "agent", agentId(body.agent), agent);
  reach(principal, "environment", body.environment_id, environment);
  for (const [id, file] of files) reach(principal, "file", id, file);
  if (agent.archived_at !== null) throw errors.archived("agent", agentId(body.agent));
  if (environment.archived_at !== null) throw errors.archived("environment", body.environment_id);
  checkFilesReady(inputs, files);

  const id = newUuid();
  const due = events.length > 0 || inputs.some(({ type }) => type === "hosted_repository");
  const session: NewSession = {
    id,
    ...ownerOf(principal),
    agent_id: agent.id,
    agent: JSON.stringify(agentSnapshot(agent)),
    environment_id: environment.id,
    environment_variables: body.environment_variables ?? {},
    title: body.title ?? "",
    metadata: body.metadata ?? {},
    resources: inputs.map((input, index) => newResource(deps.secrets, input, places[index] ?? "")),
    events,
    due,
  };
  const stored =
    files.size === 0 ? await insertSession(db.write, session) : await insertWithFiles(db, session, files);
  // The agent or the environment was archived or deleted since it was read, for good: read again, it is refused.
  if (!stored) return await createSession(db, deps, principal, body);
  return { id, due };
}

/** A file that was deleted meanwhile is not there any more. */
async function insertWithFiles(
  db: DatabaseAccess,
  session: NewSession,
  files: ReadonlyMap<string, FileRow>,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const there = await lockFiles(
      tx,
      [...files.values()].map((file) => file.id),
    );
    for (const [id, file] of files) {
      if (!there.some((row) => row.id === file.id)) throw errors.notFound("file", id);
    }
    return await insertSession(tx, session);
  });
}

function checkHosts(inputs: readonly ResourceInput[], hosts: ReadonlySet<string>): void {
  for (const [index, input] of inputs.entries()) {
    if (input.type !== "hosted_repository") continue;
    const { host } = new URL(input.url);
    if (!hosts.has(host)) throw errors.hostNotServed(`resources[${index}].url`, host, [...hosts]);
  }
}

function checkFilesOnce(inputs: readonly ResourceInput[]): void {
  const seen = new Set<string>();
  for (const [index, input] of inputs.entries()) {
    if (input.type !== "file") continue;
    const param = `resources[${index}].file_id`;
    if (seen.has(input.file_id)) throw errors.invalid(`File '${input.file_id}' is given twice.`, param);
    seen.add(input.file_id);
  }
}

function agentId(agent: Body["agent"]): string {
  return typeof agent === "string" ? agent : agent.id;
}

async function findAgent(db: DatabaseAccess, given: Body["agent"]): Promise<AgentRow> {
  const id = agentId(given);
  const newest = await getAgent(db.read, parseId("agent", id) ?? "");
  if (newest === null) throw errors.notFound("agent", id);
  const version = typeof given === "string" ? null : given.version;
  if (version == null || version === newest.version) return newest;
  const older = await getVersion(db.read, newest.id, version);
  if (older === null) throw errors.agentVersionNotFound(id, version, "agent.version");
  return older;
}

async function findEnvironment(db: DatabaseAccess, id: string) {
  const row = await getEnvironment(db.read, parseId("environment", id) ?? "");
  if (row === null) throw errors.notFound("environment", id);
  return row;
}

/** The files to mount, by their id. */
async function findFiles(
  db: DatabaseAccess,
  inputs: readonly ResourceInput[],
): Promise<Map<string, FileRow>> {
  const ids = inputs.flatMap((input) => (input.type === "file" ? [input.file_id] : []));
  if (ids.length === 0) return new Map();
  const rows = await getFiles(
    db.read,
    ids.map((id) => parseId("file", id) ?? ""),
  );
  const byUuid = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    ids.map((id) => {
      const row = byUuid.get(parseId("file", id) ?? "");
      if (row === undefined) throw errors.notFound("file", id);
      return [id, row];
    }),
  );
}

function reach(principal: Principal, noun: string, id: string, owner: Owner): void {
  if (!reaches(principal, owner)) throw errors.notYours(noun, id);
}

function checkFilesReady(inputs: readonly ResourceInput[], files: ReadonlyMap<string, FileRow>): void {
  for (const [index, input] of inputs.entries()) {
    if (input.type !== "file" || files.get(input.file_id)?.status === "ready") continue;
    throw errors.fileNotReady(input.file_id, `resources[${index}].file_id`);
  }
}

function newResource(secrets: SecretBox, input: ResourceInput, place: string): NewResource {
  const id = newUuid();
  if (input.type === "file") {
    const fileId = parseId("file", input.file_id);
    return { id, type: "file", url: null, checkout: null, secret: null, file_id: fileId, mount_path: place };
  }
  const { url, authorization_token: token, checkout = null } = input;
  const secret = token == null ? null : sealToken(secrets, id, token);
  return { id, type: "hosted_repository", url, checkout, secret, file_id: null, mount_path: place };
}
