// Subject: what is read of deliveries, and which signatures fit.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import { TRIGGER_SOURCES, type TriggerSource } from "@berth/contract";
import fc from "fast-check";
import { branchAt, type HookEvent, type Json, mentions, repositoryAt } from "./hook-event.ts";
import { decide, readHook } from "./read-hook.ts";
import { readHookBody } from "./read-hook-body.ts";
import { verifyHook } from "./verify-hook.ts";

const WORDS = { label: "berth", mention: "@berth" };

function read(source: TriggerSource, event: string, body: Json): HookEvent {
  const names = ["x-github-event", "x-gitea-event", "x-event-key"];
  const found = readHook(source, (name) => (names.includes(name) ? event : undefined), body, WORDS);
  assert.ok(found !== null);
  return found;
}

const repository = { full_name: "acme/widget" };
const ann = { login: "ann", type: "User" };
const issue = {
  number: 12,
  title: "It fails",
  body: "Always",
  user: { login: "bob" },
  html_url: "https://git.example/12",
};
const gitLabProject = { path_with_namespace: "acme/tools/widget", web_url: "https://gitlab.example/w" };
const gitLabUser = { id: 7, username: "ann" };
const bitbucketActor = { uuid: "{u-1}", nickname: "ann", type: "user" };

/** What each sender sends, as its documentation has it, and how it asks. */
const CASES: [TriggerSource, string, Json, Pick<HookEvent, "ask" | "thread">][] = [
  [
    "github",
    "issues",
    { action: "labeled", label: { name: "berth" }, issue, repository, sender: ann },
    asks("label", "acme/widget#12"),
  ],
  [
    "github",
    "issues",
    { action: "labeled", label: { name: "bug" }, issue, repository, sender: ann },
    asks(null, "acme/widget#12"),
  ],
  [
    "github",
    "issues",
    { action: "unlabeled", label: { name: "berth" }, issue, repository, sender: ann },
    asks(null, "acme/widget#12"),
  ],
  [
    ...(["github", "pull_request_review_comment"] as const),
    {
      action: "created",
      pull_request: issue,
      comment: { id: 5, body: "@berth why?", path: "a.ts", user: ann },
      repository,
      sender: ann,
    },
    asks("mention", "acme/widget#12"),
  ],
  [
    ...(["github", "pull_request_review"] as const),
    {
      action: "submitted",
      pull_request: issue,
      review: { id: 5, body: "Thanks", user: ann },
      repository,
      sender: ann,
    },
    asks("reply", "acme/widget#12"),
  ],
  [
    "github",
    "issue_comment",
    { action: "edited", issue, comment: { id: 1, body: "@berth", user: ann }, repository, sender: ann },
    asks(null, "acme/widget#12"),
  ],
  [
    "gitea",
    "issues",
    { action: "label_updated", issue: { ...issue, labels: [{ name: "berth" }] }, repository, sender: ann },
    asks("labels", "acme/widget#12"),
  ],
  [
    "gitea",
    "issue_comment",
    {
      action: "created",
      issue,
      is_pull: true,
      comment: { id: 3, body: "@berth go", user: ann },
      repository,
      sender: ann,
    },
    asks("mention", "acme/widget#12"),
  ],
  [
    "gitea",
    "pull_request_comment",
    { action: "reviewed", pull_request: issue, review: { content: "@berth go" }, repository, sender: ann },
    asks("mention", "acme/widget#12"),
  ],
  [
    ...(["gitlab", ""] as const),
    {
      ...{ object_kind: "issue", project: gitLabProject, user: gitLabUser },
      object_attributes: { iid: 12, title: "It fails", action: "update" },
      changes: { labels: { previous: [], current: [{ title: "berth" }] } },
    },
    asks("label", "acme/tools/widget#12"),
  ],
  [
    ...(["gitlab", ""] as const),
    {
      ...{
        object_kind: "note",
        project: gitLabProject,
        user: gitLabUser,
        merge_request: { iid: 4, title: "Fix" },
      },
      object_attributes: { id: 9, note: "@berth go on", noteable_type: "MergeRequest", action: "create" },
    },
    asks("mention", "acme/tools/widget!#4"),
  ],
  [
    "gitlab",
    "",
    { object_kind: "push", ref: "refs/heads/main", project: gitLabProject, user_id: 7, user_username: "ann" },
    asks(null, null),
  ],
  [
    ...(["bitbucket", "pullrequest:comment_created"] as const),
    {
      actor: bitbucketActor,
      repository,
      pullrequest: { id: 4, title: "Fix" },
      comment: { id: 8, content: { raw: "@berth go" } },
    },
    asks("mention", "acme/widget!#4"),
  ],
  [
    "bitbucket",
    "repo:push",
    { actor: bitbucketActor, repository, push: { changes: [{ new: { name: "main" } }] } },
    asks(null, null),
  ],
  [
    ...(["linear", ""] as const),
    {
      action: "create",
      type: "Comment",
      actor: { id: "u1", name: "Ann", type: "user" },
      data: {
        id: "c1",
        body: "@berth go",
        issueId: "i1",
        issue: { id: "i1", identifier: "ENG-1", title: "It" },
      },
    },
    asks("mention", "linear:i1"),
  ],
  [
    ...(["linear", ""] as const),
    {
      action: "update",
      type: "Issue",
      actor: { id: "u1", name: "Ann" },
      data: { id: "i1", identifier: "ENG-1", labels: [{ id: "l1", name: "berth" }] },
      updatedFrom: { labelIds: [] },
    },
    asks("label", "linear:i1"),
  ],
  [
    ...(["linear", ""] as const),
    {
      action: "update",
      type: "Issue",
      actor: { id: "u1", name: "Ann" },
      data: { id: "i1", labels: [{ id: "l1", name: "berth" }] },
      updatedFrom: { title: "Old" },
    },
    asks(null, "linear:i1"),
  ],
  [
    ...(["jira", ""] as const),
    {
      webhookEvent: "comment_created",
      comment: { body: "@berth go", author: { accountId: "a1", displayName: "Ann" } },
      issue: { key: "ENG-1", fields: { summary: "It" } },
    },
    asks("mention", "jira:ENG-1"),
  ],
  [
    ...(["jira", ""] as const),
    {
      ...{
        webhookEvent: "jira:issue_updated",
        user: { accountId: "a1", displayName: "Ann" },
        issue: { key: "ENG-1", fields: {} },
      },
      changelog: { items: [{ field: "labels", fromString: "bug", toString: "bug berth" }] },
    },
    asks("label", "jira:ENG-1"),
  ],
  [
    "slack",
    "",
    { event: { type: "app_mention", user: "U1", text: "<@UB> go", channel: "C1", ts: "1.2" } },
    asks("mention", "slack:C1:1.2"),
  ],
  [
    "slack",
    "",
    { event: { type: "message", user: "U1", text: "and?", channel: "C1", ts: "1.3", thread_ts: "1.2" } },
    asks("reply", "slack:C1:1.2"),
  ],
  [
    "slack",
    "",
    {
      event: { type: "message", user: "U1", text: "<@UB> and?", channel: "C1", ts: "1.3", thread_ts: "1.2" },
    },
    asks(null, "slack:C1:1.2"),
  ],
  [
    "slack",
    "",
    { event: { type: "message", user: "U1", text: "hi", channel: "D1", ts: "1.4", channel_type: "im" } },
    asks("mention", "slack:D1:1.4"),
  ],
  [
    "slack",
    "",
    { event: { type: "message", subtype: "message_changed", channel: "C1", ts: "1.5", thread_ts: "1.2" } },
    asks(null, "slack:C1:1.2"),
  ],
  ["signed", "", { type: "alarm.raised" }, asks(null, null)],
];

function asks(ask: HookEvent["ask"], thread: string | null): Pick<HookEvent, "ask" | "thread"> {
  return { ask, thread };
}

describe("deliveries of each sender", () => {
  for (const [source, header, body, expected] of CASES)
    test(`${source} ${header}: ${JSON.stringify(expected)} ${JSON.stringify(body).slice(0, 60)}`, () => {
      const event = read(source, header, body);
      assert.deepEqual({ ask: event.ask, thread: event.thread }, expected);
      if (source !== "signed") assert.match(event.author?.name ?? "", /^(ann|Ann|U1)?$/);
    });

  test("a review of a line is answered in its thread, and a program is one", () => {
    const comment = { id: 5, body: "@berth why?", path: "a.ts", user: { login: "helper[bot]", type: "Bot" } };
    const body = { action: "created", pull_request: issue, comment, repository, sender: ann };
    const { place, author } = read("github", "pull_request_review_comment", body);
    assert.deepEqual(place, {
      ...{
        type: "discussion",
        repository: "acme/widget",
        kind: "pull",
        number: 12,
        comment: "5",
        on: "line",
      },
    });
    assert.equal(author?.isBot, true);
  });

  test("an author is known by what one account alone has, not by a name that anybody may choose", () => {
    const digits = { name: "Ann", username: "1", id: 2 };
    for (const [source, body, handles] of [
      ["github", { sender: ann }, ["ann"]],
      ["gitlab", { object_kind: "push", user_username: "ann", user_id: 1 }, ["ann", "1"]],
      ["gitlab", { object_kind: "issue", user: digits }, ["2"]],
      ["gitea", { sender: ann }, ["ann"]],
      [
        "bitbucket",
        { actor: { uuid: "{u-1}", account_id: "a:1", nickname: "ann", display_name: "Ann" } },
        ["{u-1}", "a:1"],
      ],
      ["linear", { actor: { id: "i1", name: "Ann", email: "ann@example.com" } }, ["i1", "ann@example.com"]],
      ["jira", { user: { accountId: "a1", displayName: "Ann" } }, ["a1"]],
      ["slack", { event: { user: "U1", username: "Ann" } }, ["U1"]],
    ] as const)
      assert.deepEqual(read(source, "", body as Json).author?.handles, handles, source);
  });

  test("names that are listed are short, and ids of elsewhere fit an index", () => {
    const long = "x".repeat(100_000);
    for (const [source, body] of [
      ["gitlab", { object_kind: long, user: { username: long, id: 1 } }],
      ["linear", { type: "Issue", action: long, data: { id: long }, actor: { id: "1", name: long } }],
      ["jira", { webhookEvent: long, issue: { key: `X-${"1".repeat(10_000)}` }, user: { accountId: long } }],
      ["slack", { event: { type: long, user: long } }],
    ] as const) {
      const { name, author, thread } = read(source, "", body as Json);
      assert.ok(name.length <= 129, source);
      assert.ok((author?.name ?? "").length <= 201, source);
      assert.equal(thread, null, source);
    }
  });

  test("a ping is none", () => {
    assert.equal(
      readHook("github", (name) => (name === "x-github-event" ? "ping" : undefined), {}, WORDS),
      null,
    );
  });
});

test("any JSON object from any sender is read, or ignored, and never throws", () => {
  const paths = [
    "issue",
    "repository",
    "comment",
    "sender",
    "object_attributes",
    "data",
    "event",
    "action",
    "changelog",
  ];
  const object = fc.dictionary(
    fc.oneof(fc.constantFrom(...paths, "__proto__", "constructor"), fc.string()),
    fc.jsonValue({ maxDepth: 4 }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...TRIGGER_SOURCES), fc.string(), object, (source, event, value) => {
      const body = readHookBody(Buffer.from(JSON.stringify(value)), "application/json");
      const found = readHook(source, () => event, body, WORDS);
      if (found === null) return;
      const { type } = decide(source, { match: { "a.b": 1 } }, found, body);
      assert.equal(type, "ignored");
      assert.ok(JSON.stringify(found).isWellFormed());
    }),
    { numRuns: 500 },
  );
});

test("a real body with any part replaced is read, and names only repositories and branches that are some", () => {
  const whole = fc.constantFrom(...CASES.map(([source, header, body]) => ({ source, header, body })));
  fc.assert(
    fc.property(whole, fc.nat(), fc.jsonValue({ maxDepth: 2 }), ({ source, header, body }, at, value) => {
      let count = 0;
      const text = JSON.stringify(body, (key, one) => (key !== "" && count++ === at % 12 ? value : one));
      const parsed = readHookBody(Buffer.from(text), "application/json");
      const { repository: name, branch } = read(source, header, parsed);
      assert.ok(name === null || /^[\w.-]+(\/[\w.-]+)+$/.test(name));
      assert.ok(branch === null || !/^-|\.\.|[~^:?*[\\ ]/.test(branch));
    }),
    { numRuns: 500 },
  );
});

test("a mention is a word outside of quotes", () => {
  for (const text of [
    "@berth go",
    "please @berth, go",
    "(@Berth)",
    "one\n@berth",
    "@berth.",
    "> quoted\n@berth",
  ])
    assert.equal(mentions(text, "@berth"), true, text);
  for (const text of [
    "@berthold",
    "me@berth.example",
    "@berth-bot",
    "a/@berth",
    "> @berth go",
    "@@berth",
    "",
  ])
    assert.equal(mentions(text, "@berth"), false, text);
  assert.equal(mentions("@berth", null), false);
  fc.assert(
    fc.property(
      fc.string(),
      fc.string({ minLength: 1 }),
      (text, word) => typeof mentions(text, word) === "boolean",
    ),
  );
});

test("names of repositories and branches", () => {
  for (const name of ["a", "/a", "a//b", "a/..", "../b", "a/b c", "a/b\n", "a/b?x", ""])
    assert.equal(repositoryAt({ name }, "name"), null, name);
  assert.equal(repositoryAt({ name: "a/b.c/d-e" }, "name"), "a/b.c/d-e");
  for (const name of ["-x", "a..b", "a b", "a.lock", "/a", "a/", "a//b", ".a"])
    assert.equal(branchAt({ name }, "name"), null, name);
  assert.equal(branchAt({ name: "feature/one_2.x" }, "name"), "feature/one_2.x");
});

test("a filter compares what a body has itself", () => {
  const body = JSON.parse('{"a":{"b":1},"list":[{"c":"x"}],"none":null}') as Json;
  const event = read("signed", "", body);
  const state = (match: Record<string, string | number | boolean | null>) =>
    decide("signed", { match }, event, body).type;
  for (const match of [
    { "a.b": 1 },
    { "list.0.c": "x" },
    { none: null },
    { "a.absent": null },
    { "a.b.toString": null },
  ])
    assert.equal(state(match), "asks", JSON.stringify(match));
  for (const match of [{ "a.b": "1" }, { "a.b": 2 }, { a: true }, { constructor: "x" }])
    assert.equal(state(match as Record<string, string>), "ignored", JSON.stringify(match));
});

describe("signatures", () => {
  const now = 1_800_000_000;
  const secret = "a secret of some length";
  const raw = Buffer.from('{"webhookTimestamp":1800000000000,"event_id":"E1"}');
  const request = (headers: Record<string, string>, body = raw) => ({
    raw: body,
    header: (name: string) => headers[name],
  });

  test("nothing fits that was not made with the secret, whatever the headers are", () => {
    const names = [
      ...[
        "x-hub-signature-256",
        "x-hub-signature",
        "x-gitea-signature",
        "x-gitlab-token",
        "linear-signature",
      ],
      ...[
        "x-slack-signature",
        "x-slack-request-timestamp",
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
      ],
    ];
    const values = fc.oneof(fc.string(), fc.constantFrom("sha256=", "v1,", "v0=", `${now}`, "v1, v1,"));
    fc.assert(
      fc.property(
        fc.constantFrom(...TRIGGER_SOURCES),
        fc.dictionary(fc.constantFrom(...names), values),
        (source, headers) => {
          assert.equal(verifyHook(source, request(headers), secret, now), null);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test("GitLab: a secret that is no key of Standard Webhooks is compared as it is, and never read as base64", () => {
    for (const weak of ["=a long secret with a sign", "пароль и ещё слова", "!!!!!!!!!!!!!!!!!!"]) {
      const key = Buffer.from(weak, "base64");
      const signature = createHmac("sha256", key).update(`id.${now}.`).update(raw).digest("base64");
      const headers = {
        ...{ "webhook-id": "id", "webhook-timestamp": `${now}` },
        "webhook-signature": `v1,${signature}`,
      };
      assert.equal(verifyHook("gitlab", request(headers), weak, now), null, weak);
      assert.notEqual(verifyHook("gitlab", request({ ...headers, "x-gitlab-token": weak }), weak, now), null);
    }
    const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    const signature = createHmac("sha256", Buffer.alloc(24, 7))
      .update(`id.${now}.`)
      .update(raw)
      .digest("base64");
    const headers = {
      ...{ "webhook-id": "id", "webhook-timestamp": `${now}` },
      "webhook-signature": `v1,${signature}`,
    };
    assert.notEqual(verifyHook("gitlab", request(headers), secret, now), null);
  });

  test("Standard Webhooks: any of the signatures, within five minutes, and any byte of the body counts", () => {
    const key = Buffer.alloc(24, 7);
    const signed = (at: number, body = raw) => {
      const signature = createHmac("sha256", key).update(`id.${at}.`).update(body).digest("base64");
      return {
        "webhook-id": "id",
        "webhook-timestamp": `${at}`,
        "webhook-signature": `v1,AAAA v2,x v1,${signature}`,
      };
    };
    const fits = (headers: Record<string, string>, body = raw) =>
      verifyHook("signed", request(headers, body), `whsec_${key.toString("base64")}`, now) !== null;
    assert.ok(fits(signed(now)));
    for (const [difference, expected] of [
      [299, true],
      [300, true],
      [301, false],
      [-300, true],
      [-301, false],
    ] as const)
      assert.equal(fits(signed(now + difference)), expected, `${difference}`);
    fc.assert(
      fc.property(fc.nat(raw.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const other = Buffer.from(raw);
        other[at] = (other[at] ?? 0) ^ change;
        assert.equal(fits(signed(now), other), false);
      }),
    );
  });
});
