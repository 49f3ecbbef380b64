import { randomBytes } from "node:crypto";
import { uuidOrNil } from "@berth/contract";
import { errors } from "@berth/store/errors";
import { networksOf } from "@berth/store/limits";
import { type SecretBox, triggerSecret } from "@berth/store/secrets";
import { BodyBudget } from "../../http/body-budget.ts";
import { acceptBody } from "../../http/expected-body.ts";
import { headerValues } from "../../http/headers.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { readBody } from "../../http/read-body.ts";
import { mediaType } from "../../http/read-input.ts";
import { lookSoon } from "../sessions/follow/follow-store.ts";
import { textAt } from "./hooks/hook-event.ts";
import { decide, readHook } from "./hooks/read-hook.ts";
import { readHookBody } from "./hooks/read-hook-body.ts";
import { verifyHook } from "./hooks/verify-hook.ts";
import { receiveDelivery } from "./store/trigger-delivery-store.ts";
import { readCalled } from "./store/trigger-store.ts";

const MAX_BODY = 1_048_576;
const BODY_MS = 10_000;
/** Memory for the bodies that a process is receiving, and for those of one network. */
const BODIES = { bytes: 64 * MAX_BODY, perOwner: 16 * MAX_BODY };

/** With it the signatures of an address that is not known are checked, so that this takes as long. */
const NO_SECRET = randomBytes(32).toString("hex");

/**
 * Mounts the address to which senders deliver. It needs no token: a trigger takes what its sender has signed, once, and
 * answers before anything is done with it.
 *
 * @param wake Called once a delivery is stored that is to be handed on.
 */
export function mountHooks(app: HttpApp, secrets: SecretBox, wake: () => void): void {
  const bodies = new BodyBudget(BODIES);
  app.fastify.route({
    method: "POST",
    url: "/hooks/:trigger_id",
    config: { operation: "hooks.receive" },
    onRequest: async ({ raw }) => {
      await app.addressRates.takeWithoutToken(app.clients.of(raw));
      const [encoding = "identity"] = headerValues(raw, "content-encoding");
      if (encoding.trim().toLowerCase() !== "identity") throw errors.encodedBody();
      if (Number(raw.headers["content-length"] ?? 0) > MAX_BODY * 8) throw errors.deliveryTooLarge(MAX_BODY);
      acceptBody(raw, MAX_BODY * 8);
    },
    handler: async (request, reply) => {
      const { trigger_id: id = "" } = request.params as { trigger_id?: string };
      const share = bodies.share(networksOf(app.clients.of(request.raw)).at(-1)?.id ?? "");
      try {
        const raw = await readBody(request.raw, {
          ...{ limit: MAX_BODY, timeoutMs: BODY_MS, share },
          tooLarge: errors.deliveryTooLarge,
        });
        const trigger = await readCalled(app.db.write, uuidOrNil("trigger", id));
        const header = (name: string) => {
          const values = headerValues(request.raw, name);
          return values.length === 1 ? values[0] : undefined;
        };
        const [source, secret] =
          trigger.id === null
            ? (["github", NO_SECRET] as const)
            : ([trigger.type, secrets.open(triggerSecret(trigger.id), trigger.secret)] as const);
        const verified = verifyHook(source, { header, raw }, secret, trigger.now);
        if (verified === null || trigger.id === null) throw errors.wrongSignature();
        const body = readHookBody(raw, mediaType(request));
        const challenge =
          source === "slack" && body.type === "url_verification" ? textAt(body, "challenge") : null;
        if (challenge !== null) return reply.code(200).send({ challenge });
        if (!trigger.isActive) return reply.code(200).send({ status: "paused" });
        const event = readHook(source, header, body, trigger);
        if (event === null) return reply.code(200).send({ status: "ignored" });
        if (event.repository !== null) await lookSoon(app.db.write, trigger.id, event.repository);
        const decision = decide(source, trigger.filter, event, body);
        const given = { ...event, texts: event.texts.length === 0 ? [bodyText(body)] : event.texts };
        const receipt = await app.db.transaction((tx) =>
          receiveDelivery(tx, trigger, { ...verified, event: given, decision }),
        );
        if (receipt.status === "refused")
          throw errors.triggerLimit(`${trigger.max_runs_per_hour} an hour`, receipt.retrySeconds);
        if (receipt.status === "pending") wake();
        return reply.code(202).send({ status: receipt.status });
      } finally {
        share.release();
      }
    },
  });
}

function bodyText(body: object) {
  return {
    title: "What was sent",
    context: "The body of the delivery, as JSON.",
    text: JSON.stringify(body, null, 1),
  };
}
