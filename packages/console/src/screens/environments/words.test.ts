import assert from "node:assert/strict";
import { test } from "node:test";
import { limitWords, networkingWords } from "./words.ts";

test("networking in a few words", () => {
  const limited = {
    type: "limited" as const,
    allowed_hosts: [] as string[],
    allow_package_managers: false,
    allow_mcp_servers: false,
  };
  assert.equal(networkingWords({ type: "unrestricted" }), "Every public host");
  assert.equal(networkingWords(limited), "Only its repositories");
  assert.equal(networkingWords({ ...limited, allowed_hosts: ["a.example.com"] }), "a.example.com");
  assert.equal(
    networkingWords({ ...limited, allowed_hosts: ["a", "b"], allow_package_managers: true }),
    "2 hosts, package registries",
  );
});

test("limits in a few words", () => {
  assert.equal(limitWords({ cpus: 1, memory_mb: 512, pids: 64, disk_mb: null }), "1 CPU, 512 MiB");
  assert.equal(
    limitWords({ cpus: 2.5, memory_mb: 1536, pids: 64, disk_mb: 10_240 }),
    "2.5 CPUs, 1.5 GiB, 10 GiB of disk",
  );
});
