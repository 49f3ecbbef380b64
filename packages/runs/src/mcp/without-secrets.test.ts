import assert from "node:assert/strict";
import { test } from "node:test";
import { SecretMask } from "@berth/store/masking";
import { withoutSecrets } from "./without-secrets.ts";

const TOKEN = "mcp-Zk3canaryQ9wLxV7mR2tYpE8";
const { add, mask } = new SecretMask();
add(TOKEN);

test("tools: a secret in a name leaves the tool out, one anywhere else is masked", () => {
  const { tools, hidden } = withoutSecrets(
    [
      { name: `of ${TOKEN}` },
      { name: "a", description: `as ${TOKEN}`, inputSchema: { properties: { [TOKEN]: { default: TOKEN } } } },
      { name: Buffer.from(TOKEN).toString("hex"), title: "b" },
      { name: "c", annotations: { title: [[TOKEN]] } },
      "no tool",
      null,
    ],
    mask,
  );
  assert.deepEqual(tools, [
    {
      name: "a",
      description: "as [redacted]",
      inputSchema: { properties: { "[redacted]": { default: "[redacted]" } } },
    },
    { name: "c", annotations: { title: [["[redacted]"]] } },
    "no tool",
    null,
  ]);
  assert.deepEqual(
    hidden.map(({ tool }) => tool),
    ["number 1 of its list", "number 3 of its list"],
  );
});

test("tools without a secret → as the server sent them", () => {
  const sent = [
    { name: "a", inputSchema: { type: "object", properties: { b: { minimum: 1, nullable: null } } } },
  ];
  assert.deepEqual(withoutSecrets(sent, mask), { tools: sent, hidden: [] });
});
