/** The open dialog, as search parameters. */
export type ConnectionSearch = {
  create?: true;
  /** The id of the connection whose details are open. */
  connection?: string;
};

/** Reads search parameters, which may hold anything. */
export function readConnectionSearch({ create, connection }: Record<string, unknown>): ConnectionSearch {
  return {
    ...(create === true ? { create } : {}),
    ...(typeof connection === "string" && /^conn_\w+$/.test(connection) ? { connection } : {}),
  };
}
