import type { Berth, Operation } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { type ConfirmOptions, confirm } from "../shared/confirm.ts";
import { nameOf } from "../terminal/object.ts";
import { plainLine } from "../terminal/plain-text.ts";
import { whatHangsOn } from "./what-hangs-on.ts";

/** Further consequences of a deletion, beyond the operation's summary. */
const CONSEQUENCES: Readonly<Record<string, string>> = {
  "tokens.delete": " They are rejected at once.",
  "sessions.delete": " Its log, and everything that it did not push or save, is lost.",
};

/**
 * Asks whether to delete the object, with its id, its name and the objects that depend on it. See `confirm`.
 */
export async function confirmDeletion(
  client: Berth,
  call: { operation: Operation; params: Record<string, string> },
  options: ConfirmOptions,
): Promise<void> {
  if (options.yes || !process.stdin.isTTY) return;
  const { operation, params } = call;
  const id = Object.values(params).at(-1) ?? "";
  const name = await nameOfObject(client, call);
  const object = plainLine(name === null ? id : `${id} (${name})`);
  const more = (CONSEQUENCES[operation.id] ?? "") + (await whatHangsOn(client, operation.id, id));
  await confirm(`${operation.summary}: ${object}?${more}`, options);
}

/** Returns the object's name, or null if it has none or cannot be read, which the deletion then reports. */
async function nameOfObject(
  client: Berth,
  { operation, params }: { operation: Operation; params: Record<string, string> },
): Promise<string | null> {
  const all = Object.values(operations).flatMap((noun) => Object.values(noun) as Operation[]);
  const get = all.find(({ method, path }) => method === "GET" && path === operation.path);
  if (get?.responseKind !== "object") return null;
  try {
    return nameOf(await client.call<Record<string, unknown>>({ operation: get, params }));
  } catch {
    return null;
  }
}
