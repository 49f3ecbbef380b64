import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { singleFlight } from "@berth/concurrency";
import type { MountedSnapshot } from "@berth/sandbox";
import { digestOf, type RemoteRefs, refreshClone, type Sandbox, wantedOf } from "@berth/sandbox";
import type { Logger } from "pino";
import type { Queryable } from "../../db/statement.ts";
import type { CloneRequest, SessionRepository } from "../inputs/placement.ts";
import type { RunResource } from "../inputs/resource-store.ts";
import { isRepository } from "../inputs/resource-store.ts";
import type { Lease } from "../lease/lease.ts";
import { checkoutOf } from "./checkout-name.ts";
import type { Order } from "./build-snapshot.ts";
import { evictTemplates, sweepTemplates } from "./sweep-snapshots.ts";
import { createTemplateMaker, type MakerParts } from "./snapshot-builder.ts";
import { directoryOf, sourceOf } from "./snapshot-directory.ts";
import { claimTemplate, hasAnyTemplate, leaveTemplate } from "./snapshot-store.ts";

export interface TemplatesParts extends Omit<MakerParts, "evict"> {
  db: { read: Queryable; write: Queryable };
  log: Logger;
  /** Days without use after which one goes. */
  mostDays: number;
}

/** What the host of a repository shows to the session's own credential just now; null where no template is to be used. */
export type Look = RemoteRefs | null;

/** Where a session's repository is to be put. */
export interface TemplatePlace {
  lease: Lease;
  /** uuid of the resource. */
  resourceId: string;
  sandbox: Pick<Sandbox, "mountSnapshot" | "unmountSnapshot" | "run">;
  /** Takes the resource as soon as the sandbox shows a template at its place. */
  shown: Set<string>;
}

/** What a template was put in place with; `stale`: it had to be brought up to date. Null: a clone is to be made, anew where one is still shown. */
export type Served = { commit: string; stale: boolean } | null;

/**
 * Repositories that were prepared on this machine, for sessions of the organization whose session was given them first.
 *
 * Life story. `look` asks the host whether the session may read the repository now, beside the opening of its sandbox. `serve`
 * mounts the best template; what it cannot finish it takes away again and leaves to a clone. `want` has one made afterwards.
 */
export interface Templates {
  look(sessionId: string, repository: SessionRepository): Promise<Look>;
  serve(look: RemoteRefs, place: TemplatePlace, repository: CloneRequest): Promise<Served>;
  want(sessionId: string, order: Order): void;
  /** Whether a template of this id lies on this machine. */
  has(id: string): boolean;
  /** Those that the session's disk shows, for its next sandbox. */
  mounted(resources: readonly RunResource[]): MountedSnapshot[];
  sweep(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A host that does not answer delays the next question by this much at most. */
const MAX_LIST_WAIT_MS = 1_000;

/** With `mostBytes` of 0, none is made and none is used anew. */
export async function openTemplates(parts: TemplatesParts): Promise<Templates> {
  const { db, room, log } = parts;
  for (const kind of ["mirrors", "templates"] as const)
    await mkdir(directoryOf(room, kind), { recursive: true, mode: 0o700 });
  const isUnderWay = (id: string): boolean => maker.isUnderWay(id);
  const keep = { ...parts, isUnderWay };
  const maker = createTemplateMaker({ ...parts, evict: () => evictTemplates(keep) });
  const off = parts.mostBytes === 0;
  // Sessions that want to know the same with the same credential share one question to the host.
  const listRefs = singleFlight((repository: SessionRepository) => parts.listRefs(repository), {
    key: ({ type, url, username, secret }) => JSON.stringify([type, url, username, secret]),
    maxWaitMs: MAX_LIST_WAIT_MS,
  });

  async function mount(
    look: RemoteRefs,
    { lease, resourceId, sandbox, shown }: TemplatePlace,
    { checkout, mountPath: target }: CloneRequest,
  ): Promise<{ commit: string; fits: boolean } | null> {
    const wanted = wantedOf(look, checkout);
    if (wanted === null) return null;
    const wish = { host: room.host, checkout: checkoutOf(wanted), refsDigest: digestOf(look) };
    const template = await claimTemplate(db.write, lease, resourceId, wish);
    if (template === null) return null;
    const source = sourceOf(room, "templates", template.id);
    if (
      existsSync(source) &&
      (await sandbox.mountSnapshot({ source, name: template.id, uid: template.uid, target }))
    ) {
      shown.add(resourceId);
      return template;
    }
    await leaveTemplate(db.write, lease, resourceId);
    return null;
  }

  async function serve(look: RemoteRefs, place: TemplatePlace, repository: CloneRequest): Promise<Served> {
    const mounted = await mount(look, place, repository);
    if (mounted === null) return null;
    if (mounted.fits) return { commit: mounted.commit, stale: false };
    const wanted = wantedOf(look, repository.checkout);
    const environment = parts.repositoryVariables([repository]);
    const { onProgress } = repository;
    const fresh =
      wanted && (await refreshClone(place.sandbox, repository, wanted, { environment, onProgress }));
    if (fresh !== null) return { commit: fresh.commit, stale: true };
    if (await place.sandbox.unmountSnapshot(repository.mountPath)) place.shown.delete(place.resourceId);
    return null;
  }

  return {
    async look(sessionId, repository) {
      if (off) return null;
      try {
        if (!(await hasAnyTemplate(db.read, sessionId, room.host, repository.url))) return null;
        return await listRefs(repository);
      } catch (error) {
        log.warn({ err: error }, "no template could be looked for");
        return null;
      }
    },
    async serve(look, place, repository) {
      try {
        return await serve(look, place, repository);
      } catch (error) {
        log.warn({ err: error }, "a template could not be used");
        return null;
      }
    },
    want(sessionId, order) {
      if (!off) maker.want(sessionId, order);
    },
    has: (id) => existsSync(sourceOf(room, "templates", id)),
    mounted: (resources) =>
      resources.flatMap((resource) =>
        isRepository(resource) && resource.ready && resource.template !== null
          ? [
              {
                source: sourceOf(room, "templates", resource.template.id),
                name: resource.template.id,
                uid: resource.template.uid,
                target: resource.mountPath,
              },
            ]
          : [],
      ),
    sweep: (signal) => sweepTemplates(keep, signal),
    close: maker.close,
  };
}
