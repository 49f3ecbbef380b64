// Subject: mount and the routes of all features.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AnyRoute, errorEnvelope, routes } from "@berth/contract";
import fc from "fast-check";
import { callerOf, testApp, type Wire } from "../../test-support/http.ts";

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("\0", "\ud800", "__proto__", "%00", "null"),
);
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double(),
    fc.constantFrom(null, true, 1e300, -0, 2 ** 53),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(text, tie("any"), { maxKeys: 3 }),
  ),
})).any;

/** Operations that would end the objects or the token that the others need. */
const ends = ["tokens.delete", "agents.archive", "environments.archive"];

describe("generated requests", () => {
  test("any input → never a 5xx, always an object of the contract or the error envelope", async (t) => {
    const { app, caller } = await testApp(t);
    const owner = await caller();
    const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
    const environment = await owner.made("/environments", { name: "e" });
    const session = await owner.made("/sessions", { agent: agent.id, environment_id: environment.id });
    const file = (await owner.upload("x")).body;
    const good: Record<string, Wire> = {
      "agents.create": { name: "a", model: "rehearsal/steps", metadata: {}, description: null, system: "" },
      "environments.create": { name: "b", environment_variables: {}, metadata: {}, resources: {} },
      "agents.update": { version: 1, name: "a", metadata: {} },
      "environments.update": { name: "e", environment_variables: {}, metadata: {}, resources: {} },
      "sessions.create": {
        agent: agent.id,
        environment_id: environment.id,
        title: "",
        resources: [],
        metadata: {},
      },
      "sessionResources.add": { type: "file", file_id: file.id, mount_path: "/data/x" },
      "events.send": { events: [{ type: "user.message", content: [{ type: "text", text: "x" }] }] },
      "tokens.create": { name: "x", scopes: ["agents:read"], expires_at: null },
    };
    const plain = (Object.values(routes).flatMap((noun) => Object.values(noun)) as AnyRoute[]).filter(
      ({ operation }) =>
        operation.responseKind !== "stream" &&
        !["multipart", "bytes"].includes(operation.body) &&
        !ends.includes(operation.id),
    );
    const params = {
      session_id: session.id,
      agent_id: agent.id,
      environment_id: environment.id,
      file_id: file.id,
    };
    const posts = plain.filter(({ operation }) => operation.id in good);
    const strings = fc.dictionary(text, text, { maxKeys: 2 });
    const request = fc.record({
      route: fc.oneof(fc.constantFrom(...plain), { weight: 3, arbitrary: fc.constantFrom(...posts) }),
      strangePath: fc.option(text, { freq: 4 }),
      query: fc.dictionary(
        fc.oneof(fc.constantFrom("limit", "page", "after_id", "ids[]", "created_at[gt]"), text),
        text,
        { maxKeys: 2 },
      ),
      body: fc.oneof(
        fc.dictionary(fc.oneof(fc.constantFrom("name", "title", "system", "mount_path"), text), value, {
          maxKeys: 3,
        }),
        fc.record({ name: text, title: text, metadata: strings, description: text }, { requiredKeys: [] }),
        fc.record({ title: text, metadata: strings, environment_variables: strings }, { requiredKeys: [] }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ route, strangePath, query, body }) => {
        const { operation } = route;
        const path = operation.path
          .replace("/api/v1/cloud", "")
          .replaceAll(/\{(\w+)\}/g, (_, name: string) =>
            strangePath === null
              ? (params[name as keyof typeof params] ?? "x")
              : encodeURIComponent(strangePath.toWellFormed()) || "x",
          );
        const search = new URLSearchParams(
          Object.entries(query).map(([name, one]) => [name, one]),
        ).toString();
        const target = search === "" || "name" in body ? path : `${path}?${search}`;
        const asked = callerOf(app, owner.token);
        const reply =
          operation.method === "GET"
            ? await asked.get(target)
            : await asked.post(
                target,
                operation.body === "none" ? undefined : { ...good[operation.id], ...body },
              );
        const { success, error } = (reply.status < 300 ? route.response : errorEnvelope).safeParse(
          reply.body,
        );
        assert.ok(reply.status < 500, `${operation.id}: ${reply.text}`);
        assert.ok(success || operation.responseKind === "bytes", `${operation.id}: ${reply.text} ${error}`);
      }),
      { numRuns: 600 },
    );
  });
});
