import type { Operation } from "@berth/sdk";
import { type BodyOptions, bodyOf, queryOf } from "../../operations/request-fields.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import { printJson, printLine } from "../../terminal/print.ts";

interface ApiOptions extends ConnectionOptions, BodyOptions {
  query?: string[];
  header?: string[];
  include?: boolean;
  paginate?: boolean;
}

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;

/** Makes one request, or with `--paginate` one for each page. */
export async function callApi(given: string, path: string, options: ApiOptions): Promise<undefined> {
  const method = METHODS.find((known) => known === given.toUpperCase());
  if (method === undefined) throw new UsageError(`The method must be one of ${METHODS.join(", ")}.`);
  if (path.includes("://"))
    throw new UsageError("Give the path alone, such as /sessions. Set the server with --url or BERTH_URL.");
  if (options.paginate && options.include)
    throw new UsageError("Set either --paginate or --include, not both: pages are several responses.");
  const [, plain = path, search = ""] = /^([^?]*)\??(.*)$/.exec(path) ?? [];
  const query = queryOf(
    [...new URLSearchParams(search)].map((pair) => pair.join("=")).concat(options.query ?? []),
  );
  const hasBody =
    options.input !== undefined || options.field !== undefined || options.jsonField !== undefined;
  const client = await connect(options);
  const call = {
    operation: operationOf(method, plain, hasBody),
    query,
    body: hasBody ? await bodyOf(options) : undefined,
    headers: headersOf(options.header ?? []),
  };
  if (options.paginate) {
    for await (const item of client.pages(call)) printJson(item);
    return;
  }
  const response = await client.open(call);
  if (options.include) printHead(response);
  process.stdout.write(await response.bytes());
  if (process.stdout.isTTY) printLine("");
}

function operationOf(method: Operation["method"], path: string, hasBody: boolean): Operation {
  const rooted = path.startsWith("/") ? path : `/${path}`;
  const whole = rooted.startsWith("/api/") ? rooted : `/api/v1/cloud${rooted}`;
  return {
    id: "api",
    method,
    path: whole,
    summary: "",
    scope: null,
    access: "own",
    responseKind: "bytes",
    body: hasBody ? "json" : "none",
    conflicts: [],
  };
}

function headersOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((header) => {
      const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(header) ?? [];
      if (name === undefined || value === undefined) {
        throw new UsageError(`'${header}' must have the form 'name: value'.`);
      }
      return [name, value];
    }),
  );
}

function printHead({ status, headers }: Response): void {
  printLine(`HTTP ${status}`);
  for (const [name, value] of headers) printLine(`${name}: ${value}`);
  printLine("");
}
