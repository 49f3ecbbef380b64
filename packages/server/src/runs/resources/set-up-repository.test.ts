import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandResult } from "@berth/sandbox";
import type { RunRepository } from "../inputs/resource-store.ts";
import { setUpRepository } from "./set-up-repository.ts";

const repository = {
  id: "0192d3c0-0000-7000-8000-000000000001",
  url: "https://git.example/acme/app",
  mountPath: "/data/app",
} as RunRepository;
const cloned = { commit: "a".repeat(40) };

async function setUp(result: Partial<CommandResult>, isRequired = false) {
  const events: string[] = [];
  const notes: string[] = [];
  const output = new TextEncoder().encode("no secret-value");
  const target = {
    session: { repositorySetup: { script: "make", isRequired }, variables: { LEVEL: "variable-value" } },
    sandbox: { run: async () => ({ ended: "exit", output, ...result }) as CommandResult },
    runLog: {
      append: async (drafts: readonly { event: { type: string } }[]) => {
        events.push(...drafts.map(({ event }) => event.type));
        return [];
      },
    },
    notes,
    mask: (text: string) => text.replace("secret-value", "[redacted]"),
  };
  return { placement: await setUpRepository(target, repository, cloned, () => {}), events, notes };
}

test("setUpRepository: the sandbox ends meanwhile → the repository stays unplaced, and nothing is reported", async () => {
  const { placement, events, notes } = await setUp({ ended: "closed", exitCode: null });
  assert.equal(placement, "later");
  assert.deepEqual([events, notes], [[], []]);
});

test("setUpRepository: a failure → the log and the model are told, without secrets, and the repository is in place", async () => {
  const { placement, events, notes } = await setUp({ exitCode: 2 });
  assert.equal(placement, cloned);
  assert.deepEqual(events, ["session.error"]);
  assert.match(notes.join(), /it ended with exit code 2\. The end of its output:\nno \[redacted\]\]$/);
});

test("setUpRepository: a failure of a required script → a fault, without secrets", async () => {
  const { placement, events } = await setUp({ exitCode: 2 }, true);
  assert.ok(placement !== "later" && "fault" in placement);
  assert.equal(placement.fault.type, "environment_error");
  assert.match(placement.fault.message, /no \[redacted\]$/);
  assert.deepEqual(events, []);
});
