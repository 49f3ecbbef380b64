import { connectionRoutes } from "@berth/contract";
import type { GuardedFetch } from "@berth/egress";
import { GitHostError, openGitHost } from "@berth/store/git-hosts";
import { connectionSecret } from "@berth/store/secrets";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listPage } from "../../request/page.ts";
import {
  type ConnectionRow,
  listConnections,
  requireConnection,
  toConnection as shown,
} from "./connection-store.ts";
import { type ConnectionDeps, createConnection } from "./create-connection.ts";
import { deleteConnection } from "./delete-connection.ts";
import { listFromHost } from "./list-from-host.ts";
import { updateConnection } from "./update-connection.ts";

export interface ConnectionRouteDeps extends ConnectionDeps {
  /** Hosts of hosted repositories, with the port if it is not 443. */
  repositoryHosts: ReadonlySet<string>;
  /** Reaches git hosts. */
  fetch: GuardedFetch;
}

export function mountConnections(app: HttpApp, deps: ConnectionRouteDeps): void {
  const { secrets, fetch, repositoryHosts } = deps;
  const toConnection = (row: ConnectionRow) => shown(row, repositoryHosts);
  const hostOf = ({ id, url, api_url: apiUrl, auth, secret }: ConnectionRow) =>
    openGitHost(fetch, { url, apiUrl, auth, secret: secrets.open(connectionSecret(id), secret) });

  mount(app, connectionRoutes.create, async ({ principal, db }, { body }) =>
    toConnection(await createConnection(db.write, deps, principal, body)),
  );
  mount(app, connectionRoutes.list, (request, input) =>
    listPage(request, input, "connection", toConnection, (range) =>
      listConnections(request.db.read, request.principal, range),
    ),
  );
  mount(app, connectionRoutes.get, async ({ principal, db }, { params }) =>
    toConnection(await requireConnection(db.read, principal, params.connection_id)),
  );
  mount(app, connectionRoutes.update, async ({ principal, db }, input) =>
    toConnection(await updateConnection(db, secrets, principal, input)),
  );
  mount(app, connectionRoutes.delete, async ({ principal, db }, { params }) => {
    await deleteConnection(db, principal, params.connection_id);
    return { id: params.connection_id, type: "connection_deleted" as const };
  });
  mount(app, connectionRoutes.test, async ({ principal, db }, { params }) => {
    const connection = await requireConnection(db.read, principal, params.connection_id);
    try {
      return { ok: true, message: await hostOf(connection).check() };
    } catch (error) {
      if (error instanceof GitHostError) return { ok: false, message: error.message };
      throw error;
    }
  });
  mount(app, connectionRoutes.repositories, async (request, input) => {
    const connection = await requireConnection(
      request.db.read,
      request.principal,
      input.params.connection_id,
    );
    const { query } = input.query;
    const host = hostOf(connection);
    const part = query?.toLowerCase();
    return await listFromHost(
      request,
      input,
      (page) => host.repositories(query ?? null, page),
      ({ full_name }) => part === undefined || full_name.toLowerCase().includes(part),
    );
  });
  mount(app, connectionRoutes.branches, async (request, input) => {
    const connection = await requireConnection(
      request.db.read,
      request.principal,
      input.params.connection_id,
    );
    const host = hostOf(connection);
    return await listFromHost(request, input, (page) => host.branches(input.query.repository, page));
  });
}
