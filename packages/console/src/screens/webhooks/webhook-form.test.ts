import assert from "node:assert/strict";
import { test } from "node:test";
import { createBodyOf, EMPTY_WEBHOOK, EVENT_CHOICES, placeOf } from "./webhook-form.ts";

test("webhook form: of each noun all, and then its events", () => {
  const at = EVENT_CHOICES.indexOf("pull_request.*");
  const states = ["opened", "updated", "merged", "closed"].map((state) => `pull_request.${state}`);
  assert.deepEqual(EVENT_CHOICES.slice(at, at + 5), ["pull_request.*", ...states]);
  assert.equal(new Set(EVENT_CHOICES).size, EVENT_CHOICES.length);
  assert.equal(EVENT_CHOICES[0], "*");
});

test("webhook form: the body of each format, and where faults belong", () => {
  const { events } = EMPTY_WEBHOOK;
  assert.deepEqual(createBodyOf({ ...EMPTY_WEBHOOK, name: " Bot ", url: " https://a.example/ " }), {
    ...{ name: "Bot", format: "standard", url: "https://a.example/", enabled_events: events },
  });
  assert.deepEqual(
    createBodyOf({ ...EMPTY_WEBHOOK, format: "email", recipients: "a@b.c, d@e.f", owner: "organization" }),
    {
      ...{
        format: "email",
        recipients: ["a@b.c", "d@e.f"],
        enabled_events: events,
        owner_type: "organization",
      },
    },
  );
  assert.deepEqual(createBodyOf({ ...EMPTY_WEBHOOK, format: "email" }), {
    format: "email",
    enabled_events: events,
  });
  assert.deepEqual(["url", "recipients[1]", "enabled_events[0]", "owner_type"].map(placeOf), [
    "url",
    "recipients",
    "events",
    "",
  ]);
});
