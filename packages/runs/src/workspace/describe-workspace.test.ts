import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import type { RunMemoryStore } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import { describeWorkspace } from "./describe-workspace.ts";

const session = { networking: { type: "unrestricted" } } as RunSession;

function store(fields: Partial<RunMemoryStore>): RunMemoryStore {
  return {
    id: newUuid(),
    type: "memory_store",
    mountPath: "/mnt/memory/notes",
    ready: false,
    failure: null,
    failedAt: null,
    inputs: "",
    storeId: newUuid(),
    access: "read_write",
    name: "Notes",
    description: null,
    instructions: null,
    ...fields,
  };
}

test("describeWorkspace: a memory store → its path, access, description and instructions, unchanged by a later failure", () => {
  const [one, other] = [
    store({ description: "What we know.\nAnd what we do not.", instructions: "Read it first." }),
    store({ access: "read_only", name: "Rules", mountPath: "/mnt/memory/rules" }),
  ];
  const text = describeWorkspace(session, [one, other], null);
  assert.match(
    text,
    /^- The memory store "Notes" is at \/mnt\/memory\/notes\. What you write there is kept/m,
  );
  assert.match(
    text,
    /^ {2}Its description: What we know\.\n {2}And what we do not\.\n {2}How to use it: Read it first\.$/m,
  );
  assert.match(text, /^- The memory store "Rules" is at \/mnt\/memory\/rules\. It is read-only\.$/m);
  const later = [one, { ...other, ready: true, failure: "no room", failedAt: new Date() }];
  assert.equal(describeWorkspace(session, later, null), text, "the same for as long as the session lives");
});

test("describeWorkspace: an ephemeral workspace → what is not an output may be deleted", () => {
  const told = (workspace: RunSession["workspace"]) => describeWorkspace({ ...session, workspace }, [], null);
  assert.match(
    told("ephemeral"),
    /outputs are saved[^\n]*\n- When you have ended your turn, everything else on the disk may be deleted/,
  );
  assert.doesNotMatch(told("persistent"), /deleted/);
});

test("describeWorkspace: package managers allowed → their registries are named", () => {
  type Limited = Extract<RunSession["networking"], { type: "limited" }>;
  const limited: Omit<Limited, "allow_package_managers"> = {
    type: "limited",
    allowed_hosts: ["a.example"],
    allow_mcp_servers: false,
  };
  const told = (allow_package_managers: boolean) =>
    describeWorkspace({ networking: { ...limited, allow_package_managers } } as RunSession, [], null);
  assert.match(told(false), /only these hosts can be reached: a\.example\.$/m);
  assert.match(
    told(true),
    /reached: the public registries of package managers \(apt, npm, pip.*\), a\.example\.$/m,
  );
});

test("describeWorkspace: placeholder variables → grouped by the hosts of their secrets, at most eight of which are named", () => {
  const many = Array.from({ length: 11 }, (_, count) => `h${count}.example`);
  const variables = [
    { name: "A", hosts: ["a.example"] },
    { name: "B", hosts: many },
    { name: "C", hosts: ["a.example"] },
  ];
  const text = describeWorkspace(session, [], null, [], variables);
  assert.match(
    text,
    /not secrets: A, C \(for a\.example\); B \(for h0\.example, .*h7\.example and 3 more hosts\)\./,
  );
  assert.doesNotMatch(describeWorkspace(session, [], null), /placeholder/);
});
