import assert from "node:assert/strict";
import { test } from "node:test";
import { NOTHING_READ } from "../../test-support/devcontainer.ts";
import { type SetupInputs, setupRequest } from "./setup-request.ts";

const repository = { id: "one", url: "https://git.example/acme/app", mountPath: "/data/app" };
const context: SetupInputs = {
  session: {
    repositorySetup: { script: "npm ci", isRequired: false },
    devcontainer: null,
    variables: { LEVEL: "high" },
    networking: {
      type: "limited",
      allowed_hosts: ["api.example"],
      allow_package_managers: false,
      allow_mcp_servers: false,
    },
  },
  system: null,
  runtimes: null,
  writable: [],
  onEgressDenied() {},
};

test("setupRequest: no script → nothing is to be done", () => {
  const session = { ...context.session, repositorySetup: null };
  assert.equal(setupRequest({ ...context, session }, repository), null);
});

test("setupRequest: the commands of a devcontainer run after the environment's script, in their repository alone", () => {
  const devcontainer = {
    ...{ repository: "one", variables: { MODE: "dev", LEVEL: "low" }, script: "make own" },
    ...{ image: null, shown: NOTHING_READ },
  };
  const both = { ...context, session: { ...context.session, devcontainer } };
  const request = setupRequest(both, repository);
  assert.match(request?.script ?? "", /npm ci[\s\S]*\nmake own$/);
  assert.deepEqual(request?.environment, { MODE: "dev", LEVEL: "high" });
  assert.equal(setupRequest(both, { ...repository, id: "other" })?.script, "npm ci");
  const alone = { ...both, session: { ...both.session, repositorySetup: null } };
  assert.equal(setupRequest(alone, repository)?.script, "make own");
  assert.equal(setupRequest(alone, { ...repository, id: "other" }), null);
});

test("setupRequest: the script reaches the environment's hosts and package managers, and not the repository's host", () => {
  const hosts = setupRequest(context, repository)?.egress.hosts ?? [];
  assert.ok(hosts.includes("api.example") && hosts.includes("registry.npmjs.org"));
  assert.ok(!hosts.includes("git.example"));
});

test("setupRequest: the digest changes with all that the result depends on, and with nothing else", () => {
  const { session } = context;
  const digest = (changed: Partial<SetupInputs>, at = repository) =>
    setupRequest({ ...context, ...changed }, at)?.digest;
  const own = digest({});
  const required = { script: "npm ci", isRequired: true };
  assert.equal(digest({ session: { ...session, repositorySetup: required } }), own);
  const others = [
    digest({ session: { ...session, repositorySetup: { script: "npm i", isRequired: false } } }),
    digest({ session: { ...session, variables: {} } }),
    digest({ session: { ...session, networking: { type: "unrestricted" } } }),
    digest({ system: { rootFilesystem: "/root-1" } }),
    digest({ system: { rootFilesystem: "/root-1", layers: ["/layer"] } }),
    digest({}, { ...repository, mountPath: "/data/other" }),
  ];
  assert.equal(new Set([own, ...others]).size, others.length + 1);
});
