import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createGuardedFetch } from "@berth/egress";
import { openDiskBlobs } from "@berth/store/blobs";
import { openSessionHub } from "@berth/store/notify";
import {
  silentLog,
  type TestDatabase,
  type TestServer,
  testDatabase,
} from "@berth/store/test-support/database";
import { pino } from "pino";
import { createOperatorToken } from "../src/administration/operator-tokens.ts";
import { type App, type AppDeps, createApp } from "../src/app/app.ts";
import { issueToken, ownerOfServiceAccount } from "../src/features/tokens/create-token.ts";
import { createTokenFor, type TokenFor } from "../src/features/tokens/create-token-for.ts";
import type { HttpApp } from "../src/http/http-app.ts";

/** Parsed JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts on any response
export type Wire = any;

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  text: string;
  body: Wire;
}

/** A part of a form; a file if it has a file name. */
export interface Part {
  name: string;
  filename?: string;
  content: string | Uint8Array;
}

export interface Caller {
  token: string;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  put(path: string, content: string, headers?: Record<string, string>): Promise<Reply>;
  delete(path: string, headers?: Record<string, string>): Promise<Reply>;
  /** POSTs, and returns the body of the response. Throws unless the status is 200. */
  made(path: string, body: unknown): Promise<Wire>;
  /** POSTs a body without encoding it. */
  raw(path: string, body: string, headers: Record<string, string>): Promise<Reply>;
  form(path: string, parts: readonly Part[], headers?: Record<string, string>): Promise<Reply>;
  upload(
    content: string,
    filename?: string,
    metadata?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Reply>;
}

export interface TestApp {
  app: App;
  db: TestDatabase;
  blobsDir: string;
  /** Returns a caller with a new token. Its paths are below `/api/v1/cloud`, or begin with `/api`. */
  caller(token?: CallerToken): Promise<Caller>;
  /** Returns a caller with a new operator token. Its paths begin with `/api`. */
  operator(): Promise<Caller>;
}

/** Token of a user, or with the kind `sat` of the service account that has the user's address as its name. */
export type CallerToken = Partial<TokenFor> & { kind?: "pat" | "sat" };

const BASE = "/api/v1/cloud";

/**
 * Creates the complete service with its own database and disk, called without a socket.
 *
 * @param database connections for writes and for reads, and the server. Default: the embedded one.
 */
export async function testApp(
  t: TestContext,
  deps: Partial<AppDeps> = {},
  { server, ...pool }: { max?: number; readers?: number; server?: TestServer } = {},
): Promise<TestApp> {
  const db = await testDatabase(t, server, pool);
  const hub = await openSessionHub({ db, log: silentLog });
  const blobsDir = mkdtempSync(join(tmpdir(), "berth-app-"));
  const app = createApp({
    db,
    hub,
    log: pino({ level: process.env.TEST_LOG ?? "silent" }, pino.destination(2)),
    models: { get: modelWindow, list: () => [MODEL], totalCost: () => 0, defaultModel: null },
    blobs: await openDiskBlobs(blobsDir),
    secretKey: randomBytes(32),
    repositoryHosts: ["github.com", "git.example:8443"],
    gitHttpHosts: ["git.internal:8080"],
    egressAllowPrivate: ["mcp.internal:8080"],
    gitHostFetch: createGuardedFetch({ allowPrivate: [], resolve: async () => [] }),
    runsImages: false,
    runtimeClasses: null,
    maxKeepAliveSeconds: 3_600,
    usualPids: 4_096,
    previewUrl: null,
    previewMaxSeconds: 28_800,
    runtimes: null,
    ceilings: { cpus: 4, memory_mb: 8_192, pids: 2_048, disk_mb: 65_536 },
    jsonLimit: 65_536,
    uploadLimit: 100_000,
    ...deps,
  });
  await app.fastify.ready();
  t.after(async () => {
    await app.fastify.close();
    await hub.close();
    rmSync(blobsDir, { recursive: true });
  });
  const caller = async (token: CallerToken = {}) => callerOf(app, await tokenOf(db, token));
  const operator = async () =>
    callerOf(app, (await createOperatorToken(db.write, { name: "operator" }, null)).token);
  return { app, db, blobsDir, caller, operator };
}

async function tokenOf(db: TestDatabase, { kind = "pat", ...given }: CallerToken): Promise<string> {
  const terms = { email: "owner@example.com", ...given };
  return await db.transaction(async (tx) => {
    const { row, secret } = await createTokenFor(tx, terms);
    if (kind === "pat") return secret;
    await tx.query({ text: "delete from tokens where id = $1", values: [row.id] });
    const owner = await ownerOfServiceAccount(tx, row.organization_id, terms.email);
    return (await issueToken(tx, { ...row, ...owner, kind })).secret;
  });
}

const MODEL = {
  id: "rehearsal/steps",
  provider: "rehearsal",
  context_window: 200_000,
  max_output_tokens: 8_000,
  price: { input: 0, output: 0, cache_read: 0, cache_write: 0, date: "2026-01-31" },
};

function modelWindow(id: string, options: { contextWindow?: number } = {}): { contextWindow: number } | null {
  return id === MODEL.id ? { contextWindow: Math.min(options.contextWindow ?? 200_000, 200_000) } : null;
}

export function callerOf(app: HttpApp, token: string): Caller {
  const call = async (
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    headers: Record<string, string> = {},
    payload?: string | Buffer,
  ): Promise<Reply> => {
    const response = await app.fastify.inject({
      method,
      url: path.startsWith("/api") ? path : BASE + path,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    const json = String(response.headers["content-type"]).startsWith("application/json");
    const { statusCode: status, payload: text } = response;
    return { status, headers: response.headers, text, body: json ? JSON.parse(text) : text };
  };
  const post: Caller["post"] = (path, body, headers = {}) =>
    body === undefined
      ? call("POST", path, headers)
      : call("POST", path, { "content-type": "application/json", ...headers }, JSON.stringify(body));
  const form: Caller["form"] = (path, parts, headers = {}) =>
    call("POST", path, { "content-type": "multipart/form-data; boundary=edge", ...headers }, formBody(parts));
  return {
    token,
    get: (path, headers) => call("GET", path, headers),
    post,
    put: (path, content, headers) => call("PUT", path, headers, content),
    delete: (path, headers) => call("DELETE", path, headers),
    async made(path, body) {
      const reply = await post(path, body);
      if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
      return reply.body;
    },
    form,
    raw: (path, body, headers) => call("POST", path, headers, body),
    upload: (content, filename = "notes.txt", metadata, headers = {}) => {
      const file = { name: "file", filename, content };
      const pairs = metadata === undefined ? [] : [{ name: "metadata", content: JSON.stringify(metadata) }];
      return form("/files", [...pairs, file], headers);
    },
  };
}

function formBody(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ name, filename, content }) => {
    const file = filename === undefined ? "" : `; filename="${filename}"\r\ncontent-type: text/plain`;
    const head = `--edge\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(content), Buffer.from("\r\n")];
  });
  return Buffer.concat([...pieces, Buffer.from("--edge--\r\n")]);
}
