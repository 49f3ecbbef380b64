import { openApiDocument } from "@berth/contract";
import type { Logger } from "pino";
import type { BlobStore } from "./blobs/disk-blobs.ts";
import type { Database } from "./db/pool.ts";
import { mountAgents } from "./features/agents/agent-routes.ts";
import type { ModelWindows } from "./features/agents/resolve-agent.ts";
import { mountDocs } from "./features/docs/docs-routes.ts";
import { mountEnvironments } from "./features/environments/environment-routes.ts";
import { mountEvents } from "./features/events/event-routes.ts";
import { mountFiles } from "./features/files/file-routes.ts";
import { mountForward } from "./features/forward/forward-routes.ts";
import { mountMemories } from "./features/memories/memory-routes.ts";
import { mountMemoryStores } from "./features/memory-stores/memory-store-routes.ts";
import { mountMemoryVersions } from "./features/memory-versions/memory-version-routes.ts";
import { mountModels } from "./features/models/model-routes.ts";
import { mountService } from "./features/service/service-routes.ts";
import { mountSessionResources } from "./features/session-resources/session-resource-routes.ts";
import { mountSessions } from "./features/sessions/session-routes.ts";
import { mountThreadsPath } from "./features/sessions/threads-path.ts";
import { mountSkills } from "./features/skills/skill-routes.ts";
import { mountTokens } from "./features/tokens/token-routes.ts";
import { mountVaultCredentials } from "./features/vault-credentials/vault-credential-routes.ts";
import { mountVaults } from "./features/vaults/vault-routes.ts";
import { createCursors } from "./http/cursor.ts";
import { createHttpApp, type HttpApp } from "./http/http-app.ts";
import { createIdempotency } from "./http/idempotency.ts";
import { createMetrics } from "./http/metrics.ts";
import { createTokenWatch } from "./http/token-watch.ts";
import type { Redactor } from "./log/redactor.ts";
import type { SessionHub } from "./notify/session-hub.ts";
import { derivedKey, SecretBox } from "./secrets/secret-box.ts";

export interface AppDeps {
  db: Database;
  hub: SessionHub;
  log: Logger;
  models: ModelWindows;
  blobs: BlobStore;
  /** The installation's, 32 bytes. Cursors and secrets get keys of their own from it. */
  secretKey: Uint8Array;
  /** The key that was replaced, while a rewrap is not over. */
  formerSecretKey?: Uint8Array | null;
  /** Keeps the secrets that pass through out of the log. */
  redactor?: Redactor;
  /** Hosts, with their port where it is not 443, whose repositories can be attached. */
  repositoryHosts: readonly string[];
  /** Hosts, with their port where it is not 80, that repositories may be cloned from without TLS. */
  gitHttpHosts: readonly string[];
  /** Hosts and networks on private addresses that MCP servers may be on. */
  egressAllowPrivate: readonly string[];
  /** Whether the engine of the sandboxes runs images. */
  runsImages: boolean;
  /** Bytes of a JSON body. */
  jsonLimit: number;
  /** Bytes of an uploaded file. */
  uploadLimit: number;
}

/** The whole HTTP service, wired and not yet listening. */
export function createApp(deps: AppDeps): HttpApp {
  const { db, hub, log, models, blobs, secretKey, jsonLimit, uploadLimit } = deps;
  const formerKey = deps.formerSecretKey ?? null;
  const secrets = new SecretBox(secretKey, { onSecret: deps.redactor?.add, formerKey });
  const cursors = createCursors(derivedKey(secretKey, "list cursors"));
  // Kept answers are no secrets to look for in the log: a thousand of them would take the place of those that are.
  const idempotency = createIdempotency(db, new SecretBox(secretKey, { formerKey }));
  const tokens = createTokenWatch(db.read, log);
  const app = createHttpApp({
    db,
    log,
    cursors,
    metrics: createMetrics(db.read),
    idempotency,
    jsonLimit,
    uploadLimit,
  });
  app.fastify.addHook("onClose", async () => {
    tokens.close();
    idempotency.close();
  });

  const document = openApiDocument();
  mountService(app, db, document);
  mountDocs(app, document);
  mountTokens(app);
  mountAgents(app, { models, egressAllowPrivate: deps.egressAllowPrivate });
  mountModels(app, models);
  mountEnvironments(app, deps);
  mountThreadsPath(app);
  mountSessions(app, {
    hub,
    blobs,
    secrets,
    repositoryHosts: new Set(deps.repositoryHosts),
    gitHttpHosts: new Set(deps.gitHttpHosts),
  });
  mountSessionResources(app, { hub, secrets });
  mountEvents(app, { db, hub, tokens, blobs });
  mountFiles(app, blobs);
  mountVaults(app);
  mountVaultCredentials(app, secrets);
  mountMemoryStores(app);
  mountMemories(app);
  mountMemoryVersions(app);
  mountSkills(app, blobs);
  mountForward(app);
  return app;
}
