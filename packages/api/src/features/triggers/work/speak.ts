import { uuidMillisecond } from "@berth/contract";
import type { GuardedFetch } from "@berth/egress";
import type { Database } from "@berth/store/db";
import { GitHostError, type HostFault } from "@berth/store/git-hosts";
import { type SecretBox, triggerToken } from "@berth/store/secrets";
import { at, type Place } from "../hooks/hook-event.ts";
import type { TriggerRow } from "../store/trigger-store.ts";
import { connectionOf, hostOf } from "./hand-on.ts";
import { markerOf, withMarker } from "./trigger-texts.ts";

export interface SpeakDeps {
  db: Pick<Database, "read">;
  secrets: SecretBox;
  /** Reaches public addresses, and those that the operator allows. */
  fetch: GuardedFetch;
}

/** Why something could not be said. */
export class SpeakError extends Error {
  override readonly name = "SpeakError";
  readonly fault: HostFault;

  constructor(message: string, fault: HostFault) {
    super(message);
    this.fault = fault;
  }
}

export interface Words {
  /** uuid of the delivery that is answered. */
  delivery: string;
  what: "began" | "waits" | "ended";
  /** Null for a sign alone, where there are signs. */
  text: string | null;
}

/**
 * Says something where it was asked, with a sign at first that Berth has seen it. At git hosts what was said before is
 * not said again. Does nothing without a credential. @throws GitHostError, SpeakError
 */
export async function speak(deps: SpeakDeps, trigger: TriggerRow, place: Place, words: Words): Promise<void> {
  if (place.type === "discussion") return await atGitHost(deps, trigger, place, words);
  if (trigger.token === null) return;
  const token = deps.secrets.open(triggerToken(trigger.id), trigger.token);
  switch (place.type) {
    case "slack":
      return await atSlack(deps, token, place, words);
    case "linear":
      return await atLinear(deps, token, place, words);
    case "jira":
      return await atJira(deps, trigger.site_url, token, place, words);
  }
}

type Discussion = Extract<Place, { type: "discussion" }>;

async function atGitHost(
  deps: SpeakDeps,
  trigger: TriggerRow,
  { repository, ...place }: Discussion,
  { delivery, what, text }: Words,
): Promise<void> {
  const connection = await connectionOf(deps.db, trigger);
  if (connection === null) return;
  await hostOf(deps, connection).converse(repository, async (pulls) => {
    if (what === "began") await unlessRejected(pulls.react(repository, place));
    if (text === null) return;
    const marker = markerOf(delivery, what);
    const said = await pulls.texts(repository, place, new Date(uuidMillisecond(delivery) - CLOCKS_MS));
    if (said.some((one) => one.includes(`(${marker})`))) return;
    await pulls.say(repository, place, withMarker(text, marker));
  });
}

/** Milliseconds by which the clock of a host may be behind. */
const CLOCKS_MS = 300_000;

/** A host may not let the credential react, or have the reaction already. */
async function unlessRejected(reacted: Promise<void>): Promise<void> {
  try {
    await reacted;
  } catch (error) {
    if (!(error instanceof GitHostError) || error.fault.transient === true) throw error;
  }
}

const SLACK = "https://slack.com/api";

async function atSlack(
  deps: SpeakDeps,
  token: string,
  { channel, thread, message }: Extract<Place, { type: "slack" }>,
  { what, text }: Words,
): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const call = async (method: string, body: object, harmless: readonly string[] = []) => {
    const answer = await ask(deps, "Slack", `${SLACK}/${method}`, headers, body);
    const error = at(answer, "error");
    if (at(answer, "ok") === true || harmless.includes(`${error}`)) return;
    const isKnown = typeof error === "string" && /^[a-z_]{1,64}$/.test(error);
    throw new SpeakError(`Slack rejects it${isKnown ? `: ${error}` : ""}.`, {
      kind: "unknown",
      transient: error === "ratelimited" || error === "internal_error",
    });
  };
  if (what === "began")
    await call("reactions.add", { channel, timestamp: message, name: "eyes" }, [
      "already_reacted",
      "missing_scope",
    ]);
  if (text === null) return;
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  await call("chat.postMessage", { channel, thread_ts: thread, text: escaped, unfurl_links: false });
}

const LINEAR = "https://api.linear.app/graphql";

async function atLinear(
  deps: SpeakDeps,
  token: string,
  { issue, parent }: Extract<Place, { type: "linear" }>,
  { delivery, what, text }: Words,
): Promise<void> {
  if (text === null) return;
  const query = "mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }";
  const input = {
    ...{ issueId: issue, body: withMarker(text, markerOf(delivery, what)) },
    ...(parent !== null && { parentId: parent }),
  };
  const answer = await ask(deps, "Linear", LINEAR, { authorization: token }, { query, variables: { input } });
  if (at(answer, "data.commentCreate.success") !== true)
    throw new SpeakError("Linear rejects the comment.", { kind: "unknown" });
}

async function atJira(
  deps: SpeakDeps,
  site: string | null,
  token: string,
  { issue }: Extract<Place, { type: "jira" }>,
  { delivery, what, text }: Words,
): Promise<void> {
  if (text === null || site === null) return;
  const basic = `Basic ${Buffer.from(token).toString("base64")}`;
  const authorization = token.includes(":") ? basic : `Bearer ${token}`;
  const body = `${text}\n\n{color:white}(${markerOf(delivery, what)}){color}`;
  const url = `${site}/rest/api/2/issue/${encodeURIComponent(issue)}/comment`;
  await ask(deps, "Jira", url, { authorization }, { body });
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER = 1_048_576;

/** Posts JSON, and returns the JSON that is answered. Nothing of an answer is in an error. @throws SpeakError */
async function ask(
  { fetch }: SpeakDeps,
  name: string,
  url: string,
  headers: Record<string, string>,
  body: object,
): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, {
      ...{ method: "POST", body: JSON.stringify(body), signal: AbortSignal.timeout(TIMEOUT_MS) },
      headers: { "content-type": "application/json; charset=utf-8", "user-agent": "berth", ...headers },
    });
  } catch {
    throw new SpeakError(`${name} could not be reached.`, { kind: "unknown", transient: true });
  }
  const { status } = response;
  if (status >= 300) {
    await response.body?.cancel();
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    throw new SpeakError(`${name} answered ${status}.`, {
      ...{ kind: status === 401 ? "authentication" : "unknown", transient: status === 429 || status >= 500 },
      retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : null,
    });
  }
  try {
    return JSON.parse(await readText(response));
  } catch {
    throw new SpeakError(`${name} answered with something that is not its API's.`, { kind: "unknown" });
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER) throw new Error("The answer is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
