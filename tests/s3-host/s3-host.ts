import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";

/** A request as S3 receives it. */
export interface S3Request {
  method: string;
  /** The key within the bucket. */
  key: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
}

/**
 * A function that injects a fault: it sends a response in place of the server, or breaks the connection.
 * Returns whether it did.
 */
export type S3Fault = (request: S3Request, response: ServerResponse, message: IncomingMessage) => boolean;

export interface S3Host {
  endpoint: string;
  /** The value of `BERTH_BLOBS`. */
  place: string;
  bucket: string;
  /** All requests since the start. */
  requests: S3Request[];
  /** Called for each request; may be replaced. */
  fault: S3Fault;
  /** Returns the keys of all objects, sorted. */
  keys(): string[];
  /** Makes all objects older by this many milliseconds. */
  age(milliseconds: number): void;
  /** Returns the ids of unfinished uploads. */
  uploads(): string[];
  close(): void;
}

const BUCKET = "contents";
const PREFIX = "berth";

/** The credentials in the AWS SDK's variables. s3rver accepts no others. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };

/**
 * Starts an S3 server with a bucket in this process. Sets the credentials for this process and its children.
 *
 * @param kept a directory that an earlier server may have left contents in. By default a new one, which
 * `close` removes.
 */
export async function startS3Host(kept?: string): Promise<S3Host> {
  Object.assign(process.env, S3_CREDENTIALS);
  const directory = kept ?? mkdtempSync(join(tmpdir(), "berth-s3-"));
  const s3rver = new S3rver({
    directory,
    silent: true,
    allowMismatchedSignatures: false,
    configureBuckets: [{ name: BUCKET }],
  });
  await s3rver.configureBuckets();
  keepDirectories(join(directory, BUCKET, PREFIX));
  const serve = s3rver.callback();
  const uploads = join(directory, BUCKET, "._S3rver_uploads");
  const s3: S3Host = {
    endpoint: "",
    place: "",
    bucket: BUCKET,
    requests: [],
    fault: () => false,
    keys: () => keysBelow(join(directory, BUCKET)),
    age(milliseconds) {
      for (const name of readdirSync(join(directory, BUCKET), { recursive: true, encoding: "utf8" })) {
        const path = join(directory, BUCKET, name);
        const { mtimeMs } = statSync(path);
        utimesSync(path, new Date(), new Date(mtimeMs - milliseconds));
      }
    },
    uploads: () => (existsSync(uploads) ? readdirSync(uploads) : []),
    close() {
      server.close();
      server.closeAllConnections();
      if (kept === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
  const server = createServer((message, response) => {
    const request = requestOf(message);
    s3.requests.push(request);
    if (s3.fault(request, response, message)) return;
    if (multipartFault(uploads, request, response, message)) return;
    serve(message, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  s3.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  s3.place = `s3://${BUCKET}/${PREFIX}?endpoint=${s3.endpoint}&region=eu-central-1`;
  return s3;
}

/**
 * Puts a file that is not an object in each directory. Otherwise s3rver removes a directory when its last
 * object is deleted, even while another object is written to it.
 */
function keepDirectories(prefix: string): void {
  for (const name of ["blobs", "checks", "growing"]) {
    mkdirSync(join(prefix, name), { recursive: true });
    writeFileSync(join(prefix, name, ".keep"), "");
  }
}

/** Injects an S3 error response. */
export function s3Error(
  message: IncomingMessage,
  response: ServerResponse,
  status: number,
  code: string,
): true {
  const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
  message.once("end", () => response.writeHead(status, { "content-type": "application/xml" }).end(text));
  message.resume();
  return true;
}

/** Adds what s3rver lacks: it cannot abort uploads, and it accepts parts of uploads that do not exist. */
function multipartFault(
  uploads: string,
  { method, query }: S3Request,
  response: ServerResponse,
  message: IncomingMessage,
): boolean {
  const id = query.get("uploadId");
  if (id === null) return false;
  const upload = join(uploads, id);
  if (!existsSync(upload)) return s3Error(message, response, 404, "NoSuchUpload");
  if (method !== "DELETE") return false;
  rmSync(upload, { recursive: true });
  response.writeHead(204).end();
  return true;
}

function requestOf({ method = "", url = "/", headers }: IncomingMessage): S3Request {
  const { pathname, searchParams } = new URL(url, "http://s3");
  return {
    method,
    key: decodeURIComponent(pathname).split("/").slice(2).join("/"),
    query: searchParams,
    headers,
  };
}

function keysBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("._S3rver_object") && statSync(join(directory, name)).isFile())
    .map((name) => name.slice(0, -"._S3rver_object".length))
    .sort();
}
