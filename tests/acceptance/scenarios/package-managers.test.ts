import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { promisify } from "node:util";
import {
  type PackageRegistries,
  startPackageRegistries,
} from "../../package-registries/package-registries.ts";
import type { AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";
import { sharedSystem } from "../harness/root-filesystem.ts";

/** Servers at port 443, and a service with its own hosts file, need root. */
const SYSTEM = sharedSystem();
const SKIP = SYSTEM.skip;

/** The package managers that the system of sandboxes does not have, as packages of npm. */
const FROM_NPM = {
  pnpm: "pnpm@10",
  yarn1: "yarn@1.22.22",
  yarn4: "@yarnpkg/cli-dist@4",
  bun: `@oven/bun-linux-${process.arch === "arm64" ? "aarch64" : "x64-baseline"}@1`,
  deno: `@deno/linux-${process.arch === "arm64" ? "arm64" : "x64"}-glibc@2`,
} as const;

interface Tool {
  name: string;
  /** The host that it needs. */
  host: string;
  /** Hosts that it also asks, and can do without. */
  asks?: readonly string[];
  /** Installs `tiny` into an empty directory, at whose end the word `installed` is printed. */
  script: string;
  /** The program that must be there; a session without it runs `standIn`, which reads the same authorities. */
  needs?: string;
  standIn?: string;
}

const INSTALLED = `&& node -e 'if (require("tiny") === 7) console.log("installed")'`;
const inDirectory = (path: string) => `curl -sSf "https://HOST${path}" >/dev/null && echo installed`;
const TOOLS: readonly Tool[] = [
  { name: "npm", host: "registry.npmjs.org", script: `npm install tiny ${INSTALLED}` },
  { name: "pnpm", host: "registry.npmjs.org", script: `node ~/pnpm/bin/pnpm.cjs add tiny ${INSTALLED}` },
  { name: "yarn 1", host: "registry.yarnpkg.com", script: `node ~/yarn1/bin/yarn.js add tiny ${INSTALLED}` },
  {
    name: "yarn 4",
    host: "registry.yarnpkg.com",
    script: `touch yarn.lock && node ~/yarn4/bin/yarn.js add tiny ${INSTALLED}`,
  },
  { name: "bun", host: "registry.npmjs.org", script: `~/bun/bin/bun add tiny ${INSTALLED}` },
  {
    name: "deno",
    host: "registry.npmjs.org",
    asks: ["jsr.io"],
    script: `~/deno/deno add npm:tiny && echo installed`,
  },
  {
    name: "pip",
    host: "pypi.org",
    script: `pip install --no-cache-dir --target . tiny && python3 -c 'import tiny; print("installed")'`,
  },
  {
    name: "cargo",
    host: "index.crates.io",
    needs: "cargo",
    script: `cargo init -q --name x && printf 'tiny = "1"\\n' >>Cargo.toml && cargo fetch && echo installed`,
    standIn: inDirectory("/config.json"),
  },
  {
    name: "go",
    host: "proxy.golang.org",
    needs: "go",
    script: `go mod init x.example/x && GONOSUMDB=tiny.example GOFLAGS=-mod=mod go get tiny.example/tiny && echo installed`,
    standIn: `python3 -c 'import ssl, os, urllib.request as u
u.urlopen("https://HOST/tiny.example/tiny/@v/list", context=ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"]))
print("installed")'`,
  },
  {
    name: "maven",
    host: "repo.maven.apache.org",
    needs: "mvn",
    script: `printf '<project><modelVersion>4.0.0</modelVersion><parent><groupId>tiny</groupId><artifactId>tiny</artifactId><version>1.0.0</version><relativePath/></parent><artifactId>x</artifactId><packaging>pom</packaging></project>' >pom.xml && mvn -q -B validate && echo installed`,
    standIn: inDirectory("/maven2/tiny/tiny/1.0.0/tiny-1.0.0.pom"),
  },
  {
    name: "gem",
    host: "rubygems.org",
    needs: "ruby",
    script: `ruby -ropen-uri -e 'URI.open("https://rubygems.org/info/tiny").read; puts "installed"'`,
    standIn: inDirectory("/info/tiny"),
  },
];

/** Options that keep tools from trying again, so that a denial ends them. */
const ONCE = [
  ...["NPM_CONFIG_FETCH_RETRIES=0", "YARN_HTTP_RETRY=0", "YARN_NODE_LINKER=node-modules"],
  ...["YARN_ENABLE_TELEMETRY=0", "PIP_RETRIES=0", "CARGO_NET_RETRY=0", "PIP_DISABLE_PIP_VERSION_CHECK=1"],
].join(" ");

let directory: string;
let registries: PackageRegistries;
let tools: Server;
let berth: Berth;
let api: Api;

before(async () => {
  if (SKIP) return;
  directory = await mkdtemp(join(tmpdir(), "package-managers-"));
  registries = await startPackageRegistries(join(directory, "registries"), "127.44.7.2");
  tools = await serveTools(join(directory, "tools"));
  const hosts = registries.hosts;
  berth = await Berth.start({
    wrapper: [
      "unshare",
      "--mount",
      "sh",
      "-c",
      'mount --bind "$0" /etc/hosts && exec "$@"',
      registries.hostsFile,
    ],
    settings: {
      ...SYSTEM.settings,
      BERTH_EGRESS_ALLOW_PRIVATE: [...hosts, toolsHost()].join(),
      BERTH_GIT_CA_FILES: JSON.stringify([{ host: "registry.npmjs.org", ca_file: registries.caFile }]),
    },
  });
  api = await berth.client();
});
after(async () => {
  if (SKIP) return;
  await berth.stop();
  await registries.stop();
  tools.close();
  await rm(directory, { recursive: true, force: true });
});

const toolsHost = () => `tools.localhost:${(tools.address() as AddressInfo).port}`;

/** Serves the archives of the tools, as `/NAME.tgz`. */
async function serveTools(dir: string): Promise<Server> {
  const archives = new Map<string, string>();
  for (const [name, spec] of Object.entries(FROM_NPM)) {
    await mkdir(join(dir, name), { recursive: true });
    await promisify(execFile)("npm", ["pack", "--silent", spec], { cwd: join(dir, name) });
    archives.set(`/${name}.tgz`, join(dir, name, (await readdir(join(dir, name)))[0] ?? ""));
  }
  const server = createServer((request, response) => {
    const archive = archives.get(request.url ?? "");
    if (archive === undefined) response.writeHead(404).end();
    else createReadStream(archive).pipe(response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return server;
}

/** A session that has the tools, with a secret for the registries if its connections are to be opened. */
async function open(allow_package_managers: boolean, credentials: "inject" | "proxy"): Promise<string> {
  const networking = { type: "limited", allow_package_managers, allowed_hosts: [toolsHost()] };
  const environment = await makeEnvironment(api, { credentials, config: { type: "cloud", networking } });
  const agent = await makeAgent(api);
  const vaults = credentials === "proxy" ? { vault_ids: [(await makeVault()).id] } : {};
  const made = { agent: agent.id, environment_id: environment.id, ...vaults };
  const { id } = await api.ok("POST", "/sessions", made);
  const get = Object.keys(FROM_NPM).map(
    (name) =>
      `mkdir ~/${name} && curl -sSf http://${toolsHost()}/${name}.tgz | tar -xzC ~/${name} --strip-components=1`,
  );
  const ready = await runTurn(
    api,
    id,
    bash(`${get.join(" && ")} && chmod +x ~/deno/deno ~/bun/bin/bun && echo ready`),
  );
  assert.match(toolResults(ready)[0] ?? "", /ready$/);
  return id;
}

async function makeVault(): Promise<AnyJson> {
  const vault = await api.ok("POST", "/vaults", { display_name: "registries" });
  const auth = {
    type: "environment_variable",
    secret_name: "REGISTRY_TOKEN",
    secret_value: SECRET,
    networking: { allowed_hosts: registries.hosts },
  };
  await api.ok("POST", `/vaults/${vault.id}/credentials`, { auth });
  return vault;
}

const SECRET = "token-of-the-registries-7f3a9c";

/** Runs each tool in a directory of its own, and returns what it printed. */
async function runTools(session: string): Promise<Map<string, string>> {
  const commands = TOOLS.map(({ name, host, script, needs, standIn }) => {
    const place = `mkdir -p "/data/${name}" && cd "/data/${name}" && echo '{"name":"x","version":"1.0.0","private":true}' >package.json`;
    const run = `${place} && export ${ONCE} && ${script}`;
    const instead = standIn?.replaceAll("HOST", host) ?? "";
    return bash(
      needs === undefined ? run : `if command -v ${needs} >/dev/null; then ${run}; else ${instead}; fi`,
    );
  });
  const results = toolResults(await runTurn(api, session, ...commands));
  return new Map(TOOLS.map(({ name }, index) => [name, results[index] ?? ""]));
}

for (const credentials of ["inject", "proxy"] as const) {
  covers(
    ["package-managers"],
    `package managers, credentials ${credentials}: each installs a package if they are allowed`,
    async () => {
      const session = await open(true, credentials);
      if (credentials === "proxy") {
        const login = "//registry.npmjs.org/:_authToken=$REGISTRY_TOKEN";
        await runTurn(api, session, bash(`echo "${login}" >~/.npmrc`));
      }
      const printed = await runTools(session);
      for (const [name, text] of printed) assert.match(text, /^installed$/m, `${name}:\n${text}`);
      for (const { host } of TOOLS)
        assert.ok(
          registries.requests.some((one) => one.startsWith(`${host} `)),
          host,
        );
      const login = registries.logins.get("registry.npmjs.org");
      assert.equal(login, credentials === "proxy" ? `Bearer ${SECRET}` : undefined);
    },
    SKIP,
  );

  covers(
    ["package-managers"],
    `package managers, credentials ${credentials}: each is told which host is denied if they are not allowed`,
    async () => {
      const session = await open(false, credentials);
      const before = registries.requests.length;
      for (const [name, text] of await runTools(session)) {
        const { host = "" } = TOOLS.find((tool) => tool.name === name) ?? {};
        assert.doesNotMatch(text, /^installed$/m, name);
        assert.ok(text.includes(host), `${name} does not name ${host}:\n${text}`);
      }
      assert.equal(registries.requests.length, before);
      const path = `/sessions/${session}/events?limit=100&types[]=session.egress_denied`;
      const { data } = await api.ok("GET", path);
      const denied = data.map(({ host, reason }: AnyJson) => `${host} ${reason}`);
      const asked = TOOLS.flatMap(({ host, asks = [] }) => [host, ...asks]);
      assert.deepEqual(
        [...new Set(denied)].sort(),
        [...new Set(asked.map((host) => `${host} not_allowed`))].sort(),
      );
    },
    SKIP,
  );
}
