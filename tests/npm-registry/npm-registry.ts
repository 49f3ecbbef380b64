import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { makeCertificates } from "../git-host/certificates.ts";

const run = promisify(execFile);

/** Files of one version of a package: text by path. Each may be executed. */
export type PackageFiles = Readonly<Record<string, string>>;

/** An npm registry over https. */
export interface NpmRegistry {
  /** `npm.localhost:PORT` */
  host: string;
  url: string;
  caFile: string;
  /** The requested paths, decoded. */
  requests: string[];
  /** Adds a version, or changes it. */
  publish(name: string, version: string, files: PackageFiles): Promise<void>;
  /** Adds a version whose archive has this content. */
  publishArchive(name: string, version: string, content: Buffer): void;
  /** Changes the content of a version, but not the digest that its list has. */
  tamper(name: string, version: string): void;
  /** SHA-256 of the archive of a version. */
  sha256Of(name: string, version: string): string;
  /** Until `on` answers nothing: connections are closed at once. */
  off(): void;
  on(): void;
  stop(): Promise<void>;
}

/** Starts a registry without packages. @param dir the directory for its certificates and archives. */
export async function startNpmRegistry(dir: string): Promise<NpmRegistry> {
  const { caFile, key, certificate } = await makeCertificates(dir, ["npm.localhost"]);
  const archives = new Map<string, { content: Buffer; integrity: string }>();
  const versions = new Map<string, string[]>();
  const requests: string[] = [];
  let answers = true;
  const fileOf = (name: string, version: string) => `/${name}/-/${version}.tgz`;
  const server = createServer({ key, cert: certificate }, (request, response) => {
    if (!answers) {
      request.socket.destroy();
      return;
    }
    const path = decodeURIComponent(request.url ?? "");
    requests.push(path);
    const archive = archives.get(path);
    if (archive !== undefined) {
      response.end(archive.content);
      return;
    }
    const name = path.slice(1);
    const listed = versions.get(name);
    if (listed === undefined) {
      response.writeHead(404).end("{}");
      return;
    }
    const body = listed.map((version) => {
      const file = fileOf(name, version);
      const integrity = archives.get(file)?.integrity;
      return [version, { name, version, dist: { tarball: `${url}${file}`, integrity } }];
    });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name, versions: Object.fromEntries(body) }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `npm.localhost:${(server.address() as AddressInfo).port}`;
  const url = `https://${host}`;
  const publishArchive: NpmRegistry["publishArchive"] = (name, version, content) => {
    const integrity = `sha512-${createHash("sha512").update(content).digest("base64")}`;
    archives.set(fileOf(name, version), { content, integrity });
    versions.set(name, [...new Set([...(versions.get(name) ?? []), version])]);
  };
  return {
    host,
    url,
    caFile,
    requests,
    async publish(name, version, files) {
      const directory = join(dir, "packages", `${name.replace("/", "+")}-${version}`);
      publishArchive(name, version, await packed(directory, files));
    },
    publishArchive,
    tamper(name, version) {
      const archive = archives.get(fileOf(name, version));
      if (archive === undefined) throw new Error(`${name} ${version} is not there`);
      archive.content = Buffer.concat([archive.content, Buffer.from("x")]);
    },
    sha256Of(name, version) {
      const { content = Buffer.of() } = archives.get(fileOf(name, version)) ?? {};
      return createHash("sha256").update(content).digest("hex");
    },
    off() {
      answers = false;
    },
    on() {
      answers = true;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns the archive of a package, whose paths begin with `package`. */
async function packed(directory: string, files: PackageFiles): Promise<Buffer> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, "package", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: 0o755 });
  }
  const archive = `${directory}.tgz`;
  await run("tar", ["-czf", archive, "-C", directory, "package"]);
  return await readFile(archive);
}

/** Returns the files of a package that a runtime's program is made from. It prints its version. */
export function programThatPrints(path: string, text: string): PackageFiles {
  return { [path]: `#!/bin/sh\necho "${text}"\n`, "package.json": "{}" };
}
