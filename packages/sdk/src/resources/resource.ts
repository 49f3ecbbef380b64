import type { Operation } from "@berth/contract";
import { pathParams } from "@berth/contract/command-words";
import { isPlain, operations } from "@berth/contract/operations";
import { apiPromise } from "../transport/api-promise.ts";
import type { Call, CallOptions } from "../transport/options.ts";
import { pagedList } from "../transport/page.ts";
import type { Transport } from "../transport/transport.ts";
import type { Methods } from "./methods.ts";

/**
 * Returns a noun's methods, one for each of its operations that neither uploads nor streams. A method takes the
 * parameters of the path in order, then the body and the query if the operation has one, then the options.
 */
export function resource<Noun extends keyof Methods>(transport: Transport, noun: Noun): Methods[Noun] {
  const plain = Object.entries<Operation>(operations[noun]).filter(([, operation]) => isPlain(operation));
  const methods = plain.map(([verb, operation]) => [verb, method(transport, operation)]);
  return Object.fromEntries(methods) as Methods[Noun];
}

function method(transport: Transport, operation: Operation): (...args: unknown[]) => unknown {
  const ids = pathParams(operation);
  return (...args) => {
    const params = Object.fromEntries(ids.map((name) => [name, segment(args.shift())]));
    const body = operation.body === "json" ? { body: args.shift() } : {};
    const query = operation.query ? { query: args.shift() as object | undefined } : {};
    return send(transport, { operation, params, ...body, ...query, ...(args[0] as CallOptions | undefined) });
  };
}

/** Returns a parameter of a path. A version of a skill may be a number; what is no id is rejected later. */
function segment(value: unknown): string {
  return typeof value === "number" ? String(value) : (value as string);
}

function send(transport: Transport, call: Call): unknown {
  const { responseKind } = call.operation;
  if (responseKind === "bytes") return transport.open(call, "*/*");
  return responseKind === "page" ? pagedList(transport, call) : apiPromise(transport.json(call));
}
