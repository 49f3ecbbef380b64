import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { dirname, join } from "node:path";
import { zip } from "../acceptance/harness/zip.ts";
import { makeCertificates } from "../git-host/certificates.ts";

/** The public registries, on this machine: each has one package, `tiny` 1.0.0. */
export interface PackageRegistries {
  /** Their names. */
  hosts: readonly string[];
  /** The authority of their certificates, as a PEM file. */
  caFile: string;
  /** A hosts file in which their names lead to the address. */
  hostsFile: string;
  /** The requests, each as `host path`. */
  requests: string[];
  /** The `Authorization` headers that the registries were sent, by host. */
  logins: Map<string, string>;
  stop(): Promise<void>;
}

/** Path and content of a response, by host. */
type Contents = Readonly<Record<string, Readonly<Record<string, string | Buffer>>>>;

/**
 * Starts them at port 443 of an address of this machine. Needs root, as every use of the port does.
 *
 * @param dir Directory for their files, which the caller removes.
 * @param address An address of 127.0.0.0/8 that no other server has.
 */
export async function startPackageRegistries(dir: string, address: string): Promise<PackageRegistries> {
  mkdirSync(dir, { recursive: true });
  const contents: Contents = { ...npm(dir), ...pip(), ...cargo(dir), ...go(), ...maven(), ...gem() };
  const names = Object.keys(contents);
  const { caFile, key, certificate } = await makeCertificates(dir, names);
  const hostsFile = join(dir, "hosts");
  writeFileSync(hostsFile, `127.0.0.1 localhost\n${names.map((name) => `${address} ${name}\n`).join("")}`);
  const requests: string[] = [];
  const logins = new Map<string, string>();
  const server = createServer({ key, cert: certificate }, (request, response) => {
    const host = request.headers.host ?? "";
    const path = (request.url ?? "").replace(/\?.*/, "");
    requests.push(`${host} ${path}`);
    if (request.headers.authorization !== undefined) logins.set(host, request.headers.authorization);
    respond(contents[host]?.[path], request, response);
  });
  server.listen(443, address);
  await once(server, "listening");
  return { hosts: names, caFile, hostsFile, requests, logins, stop: () => stop(server) };
}

async function stop(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}

function respond(
  content: string | Buffer | undefined,
  { url = "" }: IncomingMessage,
  response: ServerResponse,
) {
  if (content === undefined) response.writeHead(404).end();
  else if (typeof content !== "string") response.end(content);
  else
    response
      .setHeader("content-type", url.includes("/simple/") ? "text/html" : "application/json")
      .end(content);
}

function npm(dir: string): Contents {
  const tarball = packed(join(dir, "npm"), "package", {
    "package.json": '{"name":"tiny","version":"1.0.0","main":"index.js"}',
    "index.js": "module.exports = 7;\n",
  });
  const integrity = `sha512-${digest("sha512", tarball, "base64")}`;
  const registry = (host: string) => {
    const dist = {
      tarball: `https://${host}/tiny/-/tiny-1.0.0.tgz`,
      integrity,
      shasum: digest("sha1", tarball, "hex"),
    };
    const version = { name: "tiny", version: "1.0.0", main: "index.js", dist };
    const time = { created: PUBLISHED, modified: PUBLISHED, "1.0.0": PUBLISHED };
    const document = { name: "tiny", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version }, time };
    return { "/tiny": JSON.stringify(document), "/tiny/-/tiny-1.0.0.tgz": tarball };
  };
  const hosts = ["registry.npmjs.org", "registry.yarnpkg.com"];
  return Object.fromEntries(hosts.map((host) => [host, registry(host)]));
}

const PUBLISHED = "2026-01-01T00:00:00.000Z";

function pip(): Contents {
  const file = "tiny-1.0.0-py3-none-any.whl";
  const info = "tiny-1.0.0.dist-info";
  const wheel = zip({
    "tiny.py": "number = 7\n",
    [`${info}/METADATA`]: "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0.0\n",
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/RECORD`]: ["tiny.py", `${info}/METADATA`, `${info}/WHEEL`, `${info}/RECORD`]
      .map((name) => `${name},,\n`)
      .join(""),
  });
  return {
    "pypi.org": { "/simple/tiny/": `<a href="https://files.pythonhosted.org/packages/${file}">${file}</a>` },
    "files.pythonhosted.org": { [`/packages/${file}`]: wheel },
  };
}

function cargo(dir: string): Contents {
  const crate = packed(join(dir, "cargo"), "tiny-1.0.0", {
    "Cargo.toml": '[package]\nname = "tiny"\nversion = "1.0.0"\nedition = "2021"\n',
    "src/lib.rs": "pub const NUMBER: u8 = 7;\n",
  });
  const cksum = digest("sha256", crate, "hex");
  const index = { name: "tiny", vers: "1.0.0", deps: [], cksum, features: {}, yanked: false };
  return {
    "index.crates.io": {
      "/config.json": JSON.stringify({ dl: "https://static.crates.io/crates", api: "https://crates.io" }),
      "/ti/ny/tiny": `${JSON.stringify(index)}\n`,
    },
    "static.crates.io": { "/crates/tiny/1.0.0/download": crate },
  };
}

function go(): Contents {
  const module = "module tiny.example/tiny\n\ngo 1.19\n";
  const at = "/tiny.example/tiny/@v";
  return {
    "proxy.golang.org": {
      [`${at}/list`]: "v1.0.0\n",
      [`${at}/v1.0.0.info`]: JSON.stringify({ Version: "v1.0.0", Time: PUBLISHED }),
      [`${at}/v1.0.0.mod`]: module,
      [`${at}/v1.0.0.zip`]: zip({
        "tiny.example/tiny@v1.0.0/go.mod": module,
        "tiny.example/tiny@v1.0.0/tiny.go": "package tiny\n\nconst Number = 7\n",
      }),
    },
  };
}

function maven(): Contents {
  const pom = `<project><modelVersion>4.0.0</modelVersion><groupId>tiny</groupId><artifactId>tiny</artifactId>
<version>1.0.0</version><packaging>pom</packaging></project>\n`;
  return { "repo.maven.apache.org": { "/maven2/tiny/tiny/1.0.0/tiny-1.0.0.pom": pom } };
}

function gem(): Contents {
  return { "rubygems.org": { "/info/tiny": "---\n1.0.0 |checksum:0\n" } };
}

/** Returns a .tar.gz of a directory with these files. */
function packed(dir: string, name: string, files: Readonly<Record<string, string>>): Buffer {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name, path)), { recursive: true });
    writeFileSync(join(dir, name, path), text);
  }
  execFileSync("tar", ["-czf", "packed.tgz", name], { cwd: dir });
  return readFileSync(join(dir, "packed.tgz"));
}

function digest(algorithm: string, content: Buffer, encoding: "hex" | "base64"): string {
  return createHash(algorithm).update(content).digest(encoding);
}
