import type { Berth, Operation } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { type ConfirmOptions, confirm } from "../shared/confirm.ts";
import { nameOf } from "../terminal/object.ts";
import { plainLine } from "../terminal/plain-text.ts";
import { whatHangsOn } from "./what-hangs-on.ts";

/** What is lost with the object, where the operation's summary does not say it. */
const CONSEQUENCES: Readonly<Record<string, string>> = {
  "tokens.delete": " Whoever uses one of them is refused at once.",
  "sessions.delete": " Its log, and what it did not push or save, are lost.",
};

/** Asks whether the object may be deleted, by its id and its name, with what hangs on it. See `confirm`. */
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

/** Null where it has none, or cannot be read: whether it exists, the deletion itself says. */
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
