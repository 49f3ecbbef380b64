import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Berth, Operation } from "@berth/sdk";
import { pathParams } from "@berth/sdk/operations";
import type { ConfirmOptions } from "../shared/confirm.ts";
import { type ConnectionOptions, connect } from "../shared/connection.ts";
import { UsageError } from "../shared/failure.ts";
import type { OutputOptions } from "../shared/formats.ts";
import { givenBy } from "../shared/given-by.ts";
import { printResult } from "../shared/output.ts";
import { listLines, objectLines } from "../terminal/object.ts";
import { printJson } from "../terminal/print.ts";
import { confirmDeletion } from "./confirm-deletion.ts";
import { deletes } from "./deletes.ts";
import { type BodyOptions, bodyOf, queryOf } from "./request-fields.ts";

export interface OperationOptions
  extends ConnectionOptions,
    BodyOptions,
    ConfirmOptions,
    Omit<OutputOptions, "output"> {
  /** Query parameters, as `name=value`. */
  query?: string[];
  /** Maximum number of objects of a list. */
  limit?: number;
  /** Whether to return all objects of a list. */
  all?: boolean;
  /** Output format. For bytes, the file to write; default: standard output. */
  output?: string;
}

type Thing = Record<string, unknown>;

/** Calls an operation with the arguments and options of its command, and prints the response. */
export async function callOperation(
  operation: Operation,
  args: readonly string[],
  options: OperationOptions,
): Promise<undefined> {
  const client = await connect(options);
  const params = Object.fromEntries(pathParams(operation).map((name, index) => [name, args[index] ?? ""]));
  const query = queryOf(options.query ?? []);
  const body = operation.body === "json" ? await bodyOf(options) : undefined;
  const call = { operation, params, query, body };
  const setBy = operation.method === "GET" ? "-q" : "-f, -F or --input";
  await givenBy({}, async () => await carryOut(client, call, options), setBy);
}

type Call = { operation: Operation; params: Record<string, string>; query: object; body: object | undefined };

async function carryOut(client: Berth, call: Call, options: OperationOptions): Promise<undefined> {
  const { operation, params, query } = call;
  if (operation.responseKind === "stream") return await printStream(client, params.session_id ?? "", query);
  if (operation.responseKind === "page") return await printPages(client, call, options);
  if (operation.responseKind === "bytes") return await writeBytes(await client.open(call), options.output);
  if (deletes(operation)) await confirmDeletion(client, call, options);
  const response = await client.call<Thing>(call);
  await printResult(response, options as OutputOptions, () => objectLines(response));
}

/** Fetches pages until the limit is reached. */
async function printPages(
  client: Berth,
  call: Parameters<Berth["pages"]>[0],
  { limit = 20, all, ...options }: OperationOptions,
): Promise<undefined> {
  const { unpaginated } = call.operation;
  if (!unpaginated && "limit" in (call.query ?? {}))
    throw new UsageError("Set the number of objects with --limit: 'limit' is the size of a page.");
  const wanted = all || unpaginated ? Number.POSITIVE_INFINITY : limit;
  const paging = unpaginated ? {} : { limit: Math.min(wanted, 100) };
  const list = client.pages<Thing>({ ...call, query: { ...call.query, ...paging } });
  const data: Thing[] = [];
  let has_more = false;
  for await (const item of list) {
    has_more = data.length === wanted;
    if (has_more) break;
    data.push(item);
  }
  await printResult({ data, has_more }, options as OutputOptions, () => listLines(data));
}

/** Prints frames as JSON lines until the session ends. */
async function printStream(client: Berth, session_id: string, query: object): Promise<undefined> {
  for await (const frame of client.sessions.events.stream(session_id, query)) printJson(frame);
}

async function writeBytes({ body }: Response, output: string | undefined): Promise<undefined> {
  const source = body === null ? Readable.from([]) : Readable.fromWeb(body);
  if (output === undefined) await pipeline(source, process.stdout, { end: false });
  else await pipeline(source, createWriteStream(output));
}
