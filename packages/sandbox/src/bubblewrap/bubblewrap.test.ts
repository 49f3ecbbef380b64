import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conformance, type Subject } from "../conformance/conformance.ts";
import { createBubblewrapEngine } from "./bubblewrap-engine.ts";
import { createNamespaceStandIn } from "./namespace-stand-in.ts";

conformance("bubblewrap", async (): Promise<Subject> => {
  const directory = await mkdtemp(join(tmpdir(), "berth-engine-"));
  const engine = await createBubblewrapEngine({
    instance: `test-${process.pid}`,
    stateDir: join(directory, "state"),
    egress: createNamespaceStandIn(),
    certificates: [],
  });
  return {
    engine,
    uid: process.getuid?.() === 0 ? 71_000 : (process.getuid?.() ?? 0),
    async close() {
      await engine.close();
      await rm(directory, { recursive: true });
    },
  };
});
