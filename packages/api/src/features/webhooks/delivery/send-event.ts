import { orAborted } from "@berth/concurrency";
import { WEBHOOK_TIMEOUT_SECONDS } from "@berth/contract";
import { DestinationDenied, type GuardedFetch } from "@berth/egress";
import type { Queryable } from "@berth/store/db";
import { formerWebhookSecret, type SecretBox, webhookSecret } from "@berth/store/secrets";
import { type ClaimedDelivery, readSubject } from "./delivery-store.ts";
import { eventOf } from "./event-body.ts";
import { messageOf, slackBody } from "./event-message.ts";
import type { MailRelay } from "./mail-relay.ts";
import { signedHeaders } from "./sign.ts";

export interface SendDeps {
  db: { read: Queryable };
  secrets: SecretBox;
  /** Reaches public addresses, and those that the operator allows. */
  fetch: GuardedFetch;
  /** Null if the installation sends no mail. */
  relay: MailRelay | null;
  /** Base of the console's pages, for links in messages; null if it is not known. */
  consoleUrl: string | null;
  /** Milliseconds for the answer. Default: 15,000. */
  timeoutMs?: number;
}

/** What one try came to. */
export interface Answer {
  ok: boolean;
  /** Whether the receiver wants no more. */
  gone: boolean;
  /** The HTTP status; null if there was none. */
  status: number | null;
  /** One sentence. */
  message: string;
}

export type SentEvent = Omit<ClaimedDelivery, "id" | "attempts">;

/** Sends an event to its receiver once. Never rejects. It waits 15 seconds for the answer, of which it reads the status alone. */
export async function sendEvent(deps: SendDeps, event: SentEvent, stop?: AbortSignal): Promise<Answer> {
  const timeout = AbortSignal.timeout(deps.timeoutMs ?? WEBHOOK_TIMEOUT_SECONDS * 1_000);
  const signal = stop === undefined ? timeout : AbortSignal.any([timeout, stop]);
  try {
    if (event.format === "email") return await mail(deps, event, signal);
    return answerOf(await orAborted(post(deps, event, signal), signal));
  } catch (error) {
    const message = signal.aborted
      ? `The receiver did not answer within ${WEBHOOK_TIMEOUT_SECONDS} seconds.`
      : failureOf(error as Error & { code?: unknown });
    return { ok: false, gone: false, status: null, message };
  }
}

/** Posts an event, and returns the status of the response. The body is never read, so its size does not matter. */
async function post(
  { db, secrets, fetch, consoleUrl }: SendDeps,
  event: SentEvent,
  signal: AbortSignal,
): Promise<number> {
  const { webhook_id: id, format, secret, former_secret: former } = event;
  if (secret === null) throw new Error("A webhook that sends requests has no secret.");
  const opened = secrets.open(webhookSecret(id), secret);
  const sent = eventOf(event);
  let [url, headers, body] = [event.url ?? "", {}, JSON.stringify(sent)];
  if (format === "slack") {
    [url, body] = [opened, slackBody(messageOf(sent, await readSubject(db.read, event), consoleUrl))];
  } else {
    const keys = former === null ? [opened] : [opened, secrets.open(formerWebhookSecret(id), former)];
    headers = signedHeaders({ id: sent.id, timestamp: Math.floor(event.now), body }, keys);
  }
  const response = await fetch(url, {
    ...{ method: "POST", body, signal },
    headers: { "content-type": "application/json", "user-agent": "berth-webhooks", ...headers },
  });
  await response.body?.cancel();
  return response.status;
}

function answerOf(status: number): Answer {
  const ok = status >= 200 && status < 300;
  const why = status >= 300 && status < 400 ? ", a redirect, which is not followed" : "";
  return { ok, gone: status === 410, status, message: `The receiver answered ${status}${why}.` };
}

async function mail(
  { db, relay, consoleUrl }: SendDeps,
  event: SentEvent,
  signal: AbortSignal,
): Promise<Answer> {
  const failed = { ok: false, gone: false, status: null };
  if (relay === null) return { ...failed, message: "This installation sends no mail." };
  const subject = await readSubject(db.read, event);
  if (subject.recipients.length === 0)
    return { ...failed, message: "None of the recipients is a member of the organization any more." };
  const sent = eventOf(event);
  const { text, link } = messageOf(sent, subject, consoleUrl);
  await orAborted(
    relay.send({
      id: sent.id,
      to: subject.recipients,
      subject: text,
      text: link === null ? text : `${text}.\n\n${link}`,
    }),
    signal,
  );
  return { ok: true, gone: false, status: null, message: "The relay accepted the mail." };
}

/** Returns why a try failed, without what the other side said. */
function failureOf(error: Error & { code?: unknown }): string {
  if (error instanceof DestinationDenied) return error.message;
  const code = typeof error.code === "string" && /^[A-Z0-9_]+$/.test(error.code) ? ` (${error.code})` : "";
  return `The connection to the receiver failed${code}.`;
}
