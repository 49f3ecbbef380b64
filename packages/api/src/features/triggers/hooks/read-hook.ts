import type { TriggerFilter, TriggerSource } from "@berth/contract";
import { readBitbucket } from "./bitbucket.ts";
import { readGitea } from "./gitea.ts";
import { readGitHub } from "./github.ts";
import { readGitLab } from "./gitlab.ts";
import { at, type HookEvent, isOwnText, type Json, oneLine, textAt, type Words } from "./hook-event.ts";
import { readJira } from "./jira.ts";
import { readLinear } from "./linear.ts";
import { readSlack } from "./slack.ts";

/**
 * Reads a delivery. Returns null for one that only asks whether somebody listens.
 *
 * @param header returns a header by its lower-case name.
 */
export function readHook(
  source: TriggerSource,
  header: (name: string) => string | undefined,
  body: Json,
  words: Words,
): HookEvent | null {
  const found = readOf(source, header, body, words);
  if (found === null) return null;
  const { name, author } = found;
  return {
    ...found,
    name: oneLine(name, 128),
    author: author && { ...author, name: oneLine(author.name) },
  };
}

function readOf(
  source: TriggerSource,
  header: (name: string) => string | undefined,
  body: Json,
  words: Words,
): HookEvent | null {
  const event = (...names: string[]) =>
    oneLine(names.map(header).find((one) => one !== undefined) ?? "event", 128);
  switch (source) {
    case "github":
      return readGitHub(event("x-github-event"), body, words);
    case "gitea":
      return readGitea(event("x-gitea-event", "x-forgejo-event"), body, words);
    case "gitlab":
      return readGitLab(body, words);
    case "bitbucket":
      return readBitbucket(event("x-event-key"), body, words);
    case "linear":
      return readLinear(body, words);
    case "jira":
      return readJira(body, words);
    case "slack":
      return readSlack(body);
    case "signed":
      return readSigned(body);
  }
}

/** Reads a delivery of somebody who has the secret, and so may ask for everything that the filter lets through. */
function readSigned(body: Json): HookEvent {
  const name = oneLine(textAt(body, "type") ?? "event", 128);
  return {
    ...{
      name,
      ask: null,
      author: null,
      repository: null,
      branch: null,
      thread: null,
      place: null,
      url: null,
    },
    ...{ summary: `The event '${name}' was sent.`, texts: [] },
  };
}

/** What becomes of a delivery: it is handed on, also if its thread has no session yet (`asks`), or it is ignored. */
export type Decision = { type: "asks" | "replies"; reason?: undefined } | { type: "ignored"; reason: string };

/** Decides what becomes of a delivery, as far as its body says it. Who may ask is decided later. */
export function decide(source: TriggerSource, filter: TriggerFilter, event: HookEvent, body: Json): Decision {
  const differing = Object.entries(filter.match ?? {}).find(
    ([path, value]) => (at(body, path) ?? null) !== value,
  );
  if (differing !== undefined) return ignored(`The body has something else at '${oneLine(differing[0])}'.`);
  if (event.texts.some(({ text }, index) => index === 0 && isOwnText(text)))
    return ignored("Berth wrote it.");
  if (event.ask === "reply") return { type: "replies" };
  if (event.ask !== null) return { type: "asks" };
  const names = [event.name, event.name.split(".")[0]];
  const isListed =
    filter.events === undefined ? source === "signed" : filter.events.some((one) => names.includes(one));
  return isListed ? { type: "asks" } : ignored("Nothing in it asks for a session.");
}

function ignored(reason: string): Decision {
  return { type: "ignored", reason };
}
