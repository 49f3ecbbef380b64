import type { Operation } from "@berth/sdk";
import { commandWords, operations, pathParams } from "@berth/sdk/operations";

/** A call of an operation with its values, for a command to copy. */
export type CallExample = {
  operation: Operation;
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | readonly string[] | undefined>;
  body?: unknown;
};

/** Returns the call as a curl command. The token is a shell variable. */
export function curlCommand(call: CallExample, origin: string): string {
  const { operation, params = {}, body } = call;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? `$${name.toUpperCase()}`),
  );
  const query = fieldsOf(call).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  const address = `${origin}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`;
  const flags = [
    operation.responseKind === "stream" ? "-N" : "",
    operation.method === "GET" ? "" : `-X ${operation.method}`,
  ];
  const lines = [
    ["curl -sS", ...flags, quote(address)].filter(Boolean).join(" "),
    '-H "Authorization: Bearer $BERTH_TOKEN"',
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body, null, 2))}`]),
  ];
  return lines.join(" \\\n  ");
}

/** Returns the call as a `berth` command. */
export function cliCommand(call: CallExample): string {
  const { operation, params = {}, body } = call;
  const [noun = "", verb = ""] = operation.id.split(".");
  const siblings = Object.values<Operation>(operations[noun as keyof typeof operations]);
  const ids = pathParams(operation).map((name) => params[name] ?? `$${name.toUpperCase()}`);
  const queries = fieldsOf(call).flatMap(([name, value]) =>
    name === "limit" ? ["--limit", value] : ["-q", quote(`${name}=${value}`)],
  );
  const command = ["berth", ...commandWords(siblings, verb), ...ids.map(quote), ...queries].join(" ");
  return body === undefined
    ? command
    : `${command} --input - <<'JSON'\n${JSON.stringify(body, null, 2)}\nJSON`;
}

/** Returns the query as fields of the address. The SDK's names of list parameters lack the brackets. */
function fieldsOf({ query = {} }: CallExample): [string, string][] {
  return Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (Array.isArray(value)) return value.map((one): [string, string] => [`${name}[]`, String(one)]);
    return [[name, String(value)]];
  });
}

/** Quotes a text as one word for a shell. */
export function quote(text: string): string {
  return /^[\w./:=@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
