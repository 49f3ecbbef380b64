import { setTimeout as delay } from "node:timers/promises";
import { orAborted } from "@berth/concurrency";
import type { GuardedFetch } from "@berth/egress";
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type JsonSchemaValidatorResult,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { limitedFetch, type ResponseTooLarge } from "./limited-fetch.ts";
import { listTools, type ToolList } from "./list-tools.ts";
import { isConnectionLost, isUnknownSession } from "./mcp-failure.ts";
import { SetAsideTransport, setAsideList } from "./set-aside.ts";

export interface McpConnectionOptions {
  url: string;
  /** Returns the current bearer token, or null. Called before each request, to use a new token at once. */
  token(): Promise<string | null>;
  /** Must not follow redirects: the token would go to another host. */
  fetch: GuardedFetch;
  /** Called when the server reports, while it is connected, that its tools have changed. */
  onToolsChanged?: () => void;
  /** Milliseconds to connect, and again to list all tools. Default 15 s. */
  connectMs?: number;
  /** Milliseconds without a response or progress notification after which a call fails. Default 2 minutes. */
  silenceMs?: number;
  /** Bytes of one response, above which the connection is closed. Default 32 MiB. */
  maxResponseBytes?: number;
  /** Milliseconds for a whole call. Default 10 minutes. */
  callMs?: number;
}

type CallSchema = { type: "object"; [keyword: string]: unknown };

interface OpenConnection {
  client: Client;
  transport: StreamableHTTPClientTransport;
  /** Rejects when the connection cannot be opened. */
  ready: Promise<void>;
  connected: boolean;
  /** Rejects when a response exceeds the limits; never resolves. */
  exceeded: Promise<never>;
}

/** Milliseconds that `close` waits for the server to end its session. */
const TERMINATE_MS = 1_000;

/**
 * A connection to an MCP server, opened by the first request and opened again after it was lost. It holds no
 * resources while closed. Requests reject with the original error, which `mcpFailure` describes, or with the
 * signal's reason.
 */
export class McpConnection {
  readonly #options: Required<McpConnectionOptions>;
  #open: OpenConnection | undefined;
  #sentCredential = false;

  constructor(options: McpConnectionOptions) {
    const defaults = {
      connectMs: 15_000,
      silenceMs: 120_000,
      callMs: 600_000,
      onToolsChanged: () => undefined,
      maxResponseBytes: 33_554_432,
    };
    const token = async () => {
      const current = await options.token();
      this.#sentCredential = current !== null;
      return current;
    };
    this.#options = { ...defaults, ...options, token };
  }

  /** Whether the last request had a credential. */
  get sentCredential(): boolean {
    return this.#sentCredential;
  }

  listTools(signal: AbortSignal): Promise<ToolList> {
    return this.#request(signal, (client) => listTools(client, signal, this.#options.connectMs));
  }

  /**
   * Calls a tool. The result's content is set aside (`setAside`). `inputSchema` is the tool's, which may name
   * headers for its fields.
   */
  callTool(
    name: string,
    input: Record<string, unknown>,
    signal: AbortSignal,
    inputSchema: CallSchema = { type: "object" },
  ): Promise<CallToolResult> {
    return this.#request(signal, (client) =>
      client.callTool(
        { name, arguments: input },
        {
          // Given the definition, the client does not list the tools to find it.
          toolDefinition: { name, inputSchema },
          signal,
          timeout: this.#options.silenceMs,
          resetTimeoutOnProgress: true,
          maxTotalTimeout: this.#options.callMs,
          onprogress: () => undefined,
        },
      ),
    );
  }

  /** Returns the contents of a resource, as the server sent them. */
  async readResource(uri: string, signal: AbortSignal): Promise<readonly unknown[]> {
    const { silenceMs: timeout } = this.#options;
    const request = { method: "resources/read", params: { uri } };
    const result = await this.#request(signal, (client) =>
      client.request(request, z.looseObject({}), { signal, timeout }),
    );
    return setAsideList(result, "contents");
  }

  isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Ends all requests, and the server's session, waiting a second at most. The next request reconnects. */
  async close(): Promise<void> {
    const own = this.#open;
    if (own === undefined) return;
    this.#forget(own);
    if (own.connected) {
      const terminated = own.transport.terminateSession().catch(() => undefined);
      await Promise.race([terminated, delay(TERMINATE_MS, undefined, { ref: false })]);
    }
    await own.client.close();
  }

  /** Sends a request; if the server does not know the session, sends it once more in a new session. */
  async #request<T>(signal: AbortSignal, send: (client: Client) => Promise<T>): Promise<T> {
    const wasOpen = this.isOpen();
    try {
      return await this.#attempt(signal, send);
    } catch (error) {
      if (!wasOpen || signal.aborted || !isUnknownSession(error)) throw error;
      return await this.#attempt(signal, send);
    }
  }

  async #attempt<T>(signal: AbortSignal, send: (client: Client) => Promise<T>): Promise<T> {
    const own = this.#connection();
    try {
      await orAborted(Promise.race([own.ready, own.exceeded]), signal);
      return await orAborted(Promise.race([own.exceeded, send(own.client)]), signal);
    } catch (error) {
      if (signal.aborted ? !own.connected : isConnectionLost(error)) await this.#drop(own);
      throw error;
    }
  }

  #connection(): OpenConnection {
    if (this.#open !== undefined) return this.#open;
    const own = connect(this.#options);
    this.#open = own;
    own.client.onclose = () => this.#forget(own);
    own.ready.catch(() => this.#drop(own));
    return own;
  }

  #forget(own: OpenConnection): void {
    if (this.#open === own) this.#open = undefined;
  }

  async #drop(own: OpenConnection): Promise<void> {
    this.#forget(own);
    await own.client.close();
  }
}

function connect(options: Required<McpConnectionOptions>): OpenConnection {
  // Without client capabilities the server may not request sampling, elicitation or roots.
  const client = new Client(
    { name: "berth", version: "1" },
    {
      capabilities: {},
      versionNegotiation: { mode: "auto" },
      jsonSchemaValidator: acceptAll,
      listChanged: { tools: { autoRefresh: false, onChanged: options.onToolsChanged } },
    },
  );
  const exceeded = Promise.withResolvers<never>();
  exceeded.promise.catch(() => undefined);
  const onExceeded = (error: ResponseTooLarge) => {
    exceeded.reject(error);
    void client.close();
  };
  const transport = new StreamableHTTPClientTransport(new URL(options.url), {
    fetch: limitedFetch(options.fetch, options.maxResponseBytes, onExceeded),
    authProvider: { token: async () => (await options.token()) ?? undefined },
    requestInit: { redirect: "manual" },
  });
  const ready = client.connect(new SetAsideTransport(transport), { timeout: options.connectMs }).then(() => {
    own.connected = true;
  });
  const own: OpenConnection = { client, transport, ready, connected: false, exceeded: exceeded.promise };
  return own;
}

/** Accepts everything: a server's schemas may be costly on purpose, and are never compiled here. */
const acceptAll: NonNullable<ClientOptions["jsonSchemaValidator"]> = {
  getValidator<T>() {
    return (input): JsonSchemaValidatorResult<T> => ({
      valid: true,
      data: input as T,
      errorMessage: undefined,
    });
  },
};
