import assert from "node:assert/strict";
import { test } from "node:test";
import type { Environment } from "@berth/sdk";
import { FormFault } from "../../ui/use-save.ts";
import { bodyOf, changeOf, EMPTY_FORM, formOf, placeOf } from "./form.ts";

const environment = {
  id: "env_a",
  type: "environment",
  name: "Builds",
  description: null,
  config: {
    type: "cloud",
    networking: {
      type: "limited",
      allowed_hosts: ["a.example.com", "*.b.example.com"],
      allow_package_managers: true,
      allow_mcp_servers: false,
    },
    packages: { apt: ["jq"], npm: [], pip: ["ruff==0.4.1"] },
    runtimes: { node: "22", go: "1.24" },
    setup_script: "echo\n",
    repository_setup_script: null,
    repository_setup_required: false,
  },
  environment_variables: { LEVEL: "debug" },
  credentials: "proxy",
  git_identity: null,
  image: null,
  runtime_class: "gvisor",
  workspace: "ephemeral",
  keep_alive_seconds: 600,
  resources: { cpus: 1.5, memory_mb: 512, pids: 64, disk_mb: null },
  metadata: { team: "core" },
} as unknown as Environment;

test("a form of an environment makes the environment again", () => {
  assert.deepEqual(bodyOf(formOf(environment)), {
    name: "Builds",
    description: null,
    config: environment.config,
    environment_variables: { LEVEL: "debug" },
    resources: { cpus: 1.5, memory_mb: 512, pids: 64, disk_mb: null },
    credentials: "proxy",
    git_identity: null,
    image: null,
    runtime_class: "gvisor",
    workspace: "ephemeral",
    keep_alive_seconds: 600,
    metadata: { team: "core" },
  });
  assert.deepEqual(changeOf(environment, formOf(environment)), {});
});

test("a change has only what differs; what is emptied is null, which restores the default", () => {
  const form = formOf(environment);
  const limits = { ...form.limits, cpus: "" };
  assert.deepEqual(changeOf(environment, { ...form, limits, metadata: [] }), {
    resources: { cpus: null },
    metadata: { team: null },
  });
  assert.deepEqual(changeOf(environment, { ...form, keepAlive: "" }), { keep_alive_seconds: null });
  const runtimes = { ...form.runtimes, go: " ", bun: "latest" };
  assert.deepEqual(changeOf(environment, { ...form, runtimes }), {
    config: { type: "cloud", runtimes: { go: null, bun: "latest" } },
  });
  assert.deepEqual(changeOf(environment, { ...form, setupScript: "" }), {
    config: { type: "cloud", setup_script: null },
  });
});

test("runtimes may come from the repositories, and back: all that is named then is new", () => {
  const auto = { ...environment, config: { ...environment.config, runtimes: "auto" as const } };
  assert.deepEqual(changeOf(environment, { ...formOf(environment), runtimesAuto: true }), {
    config: { type: "cloud", runtimes: "auto" },
  });
  assert.equal(bodyOf(formOf(auto)).config.runtimes, "auto");
  assert.deepEqual(changeOf(auto, formOf(auto)), {});
  const back = { ...formOf(auto), runtimesAuto: false, runtimes: { node: "22" } };
  assert.deepEqual(changeOf(auto, back), { config: { type: "cloud", runtimes: { node: "22" } } });
});

test("what somebody else changed since the form was begun is not changed back", () => {
  const form = { ...formOf(environment), name: "Other" };
  const now = { ...environment, description: "by somebody else" };
  assert.deepEqual(changeOf(now, form), { name: "Other" });
});

test("an unrestricted network has no hosts", () => {
  const body = bodyOf({ ...formOf(environment), networking: "unrestricted" });
  assert.deepEqual(body.config.networking, { type: "unrestricted" });
});

test("names of hosts and packages stand in lines or beside each other", () => {
  const body = bodyOf({
    ...EMPTY_FORM,
    hosts: " a.example.com,\n b.example.com\n\n",
    packages: { apt: "jq curl", npm: "", pip: "" },
  });
  assert.deepEqual(body.config.networking.allowed_hosts, ["a.example.com", "b.example.com"]);
  assert.deepEqual(body.config.packages.apt, ["jq", "curl"]);
});

test("a limit that is no number is left to the service to refuse", () => {
  assert.equal(bodyOf({ ...EMPTY_FORM, limits: { ...EMPTY_FORM.limits, pids: "many" } }).resources.pids, -1);
});

test("a variable that stands there twice is told at the second one", () => {
  const pair = (key: string) => ({ key, name: "A", value: "1" });
  assert.throws(
    () => bodyOf({ ...EMPTY_FORM, variables: [pair("k1"), pair("k2")] }),
    (error) => error instanceof FormFault && error.place === "variable k2",
  );
});

test("faults are placed where their field is", () => {
  const form = formOf(environment);
  assert.equal(placeOf("config.networking.allowed_hosts[1]", form), "networking");
  assert.equal(placeOf("config.packages.pip[0]", form), "pip");
  assert.equal(placeOf("config.runtimes.go", form), "runtimes.go");
  assert.equal(placeOf("config.setup_script", form), "setup_script");
  assert.equal(placeOf("resources.memory_mb", form), "memory_mb");
  assert.equal(placeOf("environment_variables.LEVEL", form), `variable ${form.variables[0]?.key}`);
  assert.equal(placeOf("environment_variables", form), "environment_variables");
  assert.equal(placeOf("metadata.team", form), `metadata ${form.metadata[0]?.key}`);
  assert.equal(placeOf("git_identity.name", form), "git_identity.name");
  assert.equal(placeOf("image", form), "image");
  assert.equal(placeOf("runtime_class", form), "runtime_class");
});
