import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { TriggerSource } from "@berth/contract";
import { at } from "./hook-event.ts";

/** A request to a trigger's address. */
export interface HookRequest {
  /** Returns a header by its lower-case name, if it was given once. */
  header(name: string): string | undefined;
  /** The bytes of the body, as they came. */
  raw: Buffer;
}

/** What a signature says. */
export interface VerifiedHook {
  /** The sender's id of the delivery. */
  deliveryId: string;
  /** A hash of the body, if the signature covers neither the id nor a time; else null. */
  digest: Buffer | null;
}

/** Seconds by which the time of a signature may differ from now. */
const MAX_AGE_SECONDS = 300;
const MAX_ID = 255;

type Verify = (request: HookRequest, secret: string, now: number) => VerifiedHook | null;

/**
 * Verifies a request by the signature of its sender, over the bytes of the body. Returns null if it does not fit, or
 * is older than five minutes where it has a time. The comparison takes as long for any wrong signature.
 *
 * @param now seconds since 1970.
 */
export function verifyHook(
  source: TriggerSource,
  request: HookRequest,
  secret: string,
  now: number,
): VerifiedHook | null {
  return VERIFY[source](request, secret, now);
}

/** A signature of the body alone, in hexadecimal digits, after `sha256=` or without. */
function ofBody(signature: string, id: string, prefix: "sha256=" | ""): Verify {
  return (request, secret) => {
    const given = request.header(signature) ?? "";
    if (!isSame(given, `${prefix}${hmac(secret, request.raw).toString("hex")}`)) return null;
    return { deliveryId: idOf(request, id), digest: digestOf(request) };
  };
}

const gitHub = ofBody("x-hub-signature-256", "x-github-delivery", "sha256=");
const gitea = ofBody("x-gitea-signature", "x-gitea-delivery", "");
const forgejo = ofBody("x-forgejo-signature", "x-forgejo-delivery", "");

const VERIFY: Readonly<Record<TriggerSource, Verify>> = {
  github: gitHub,
  gitea: (request, secret, now) => {
    const scheme = request.header("x-gitea-signature") === undefined ? forgejo : gitea;
    return scheme(request, secret, now);
  },
  bitbucket: ofBody("x-hub-signature", "x-request-uuid", "sha256="),
  jira: ofBody("x-hub-signature", "x-atlassian-webhook-identifier", "sha256="),
  gitlab: (request, secret, now) => {
    if (isSigningKey(secret) && request.header("webhook-signature") !== undefined)
      return standard(request, secret, now);
    if (!isSame(request.header("x-gitlab-token") ?? "", secret)) return null;
    const id = request.header("idempotency-key") ?? request.header("x-gitlab-event-uuid");
    return { deliveryId: cut(id) ?? contentId(request), digest: digestOf(request) };
  },
  linear: (request, secret, now) => {
    if (!isSame(request.header("linear-signature") ?? "", hmac(secret, request.raw).toString("hex")))
      return null;
    const time = at(parsed(request.raw), "webhookTimestamp");
    if (typeof time !== "number" || !isRecent(time / 1_000, now)) return null;
    return { deliveryId: idOf(request, "linear-delivery"), digest: digestOf(request) };
  },
  slack: (request, secret, now) => {
    const time = request.header("x-slack-request-timestamp") ?? "";
    const expected = hmac(secret, Buffer.from(`v0:${time}:`), request.raw).toString("hex");
    if (!isSame(request.header("x-slack-signature") ?? "", `v0=${expected}`)) return null;
    if (!/^\d{1,12}$/.test(time) || !isRecent(Number(time), now)) return null;
    // A retry has another time, and the same id in the body.
    const id = at(parsed(request.raw), "event_id");
    return { deliveryId: cut(typeof id === "string" ? id : undefined) ?? contentId(request), digest: null };
  },
  signed: (request, secret, now) => standard(request, secret, now),
};

/**
 * Whether a secret is the key of Standard Webhooks: `whsec_` and the base64 of at least 16 bytes. Of other text only
 * the part that looks like base64 would be the key, which may be nothing.
 */
export function isSigningKey(secret: string): boolean {
  return /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/.test(secret);
}

/** Standard Webhooks: one of the signatures is that of id, time and body. */
function standard(request: HookRequest, secret: string, now: number): VerifiedHook | null {
  const id = request.header("webhook-id") ?? "";
  const time = request.header("webhook-timestamp") ?? "";
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = hmac(key, Buffer.from(`${id}.${time}.`), request.raw).toString("base64");
  const signatures = (request.header("webhook-signature") ?? "").split(" ").slice(0, 16);
  const fits = signatures.map((signature) => isSame(signature, `v1,${expected}`)).includes(true);
  if (!fits || id === "" || id.length > MAX_ID) return null;
  if (!/^\d{1,12}$/.test(time) || !isRecent(Number(time), now)) return null;
  return { deliveryId: id, digest: null };
}

function hmac(key: string | Buffer, ...parts: readonly Buffer[]): Buffer {
  const sum = createHmac("sha256", key);
  for (const part of parts) sum.update(part);
  return sum.digest();
}

/** Compares two texts in a time that does not tell where they differ. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(one as Buffer, other as Buffer);
}

function isRecent(seconds: number, now: number): boolean {
  return Math.abs(now - seconds) <= MAX_AGE_SECONDS;
}

function idOf(request: HookRequest, name: string): string {
  return cut(request.header(name)) ?? contentId(request);
}

/** Returns an id that can be stored, or null. */
function cut(id: string | undefined): string | null {
  return id !== undefined && id.length <= MAX_ID && /^[\x21-\x7e]+$/.test(id) ? id : null;
}

function contentId({ raw }: HookRequest): string {
  return createHash("sha256").update(raw).digest("hex");
}

function digestOf({ raw }: HookRequest): Buffer {
  return createHash("sha256").update(raw).digest();
}

function parsed(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return null;
  }
}
