import { setTimeout as pause } from "node:timers/promises";
import { orAborted } from "@berth/concurrency";
import type { GuardedFetch } from "@berth/egress";
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type JsonSchemaValidatorResult,
  StreamableHTTPClientTransport,
  type Tool as WireTool,
} from "@modelcontextprotocol/client";
import { type AnswerTooLong, limitedFetch } from "./limited-fetch.ts";
import { isLost, isUnknownSession } from "./mcp-fault.ts";

export interface McpConnectionOptions {
  url: string;
  /** The bearer token of this moment, or null for none. Asked before each request, so that a new one holds at once. */
  token(): Promise<string | null>;
  /** Follows no redirect, so that the token goes nowhere else. */
  fetch: GuardedFetch;
  /** Milliseconds to connect in, and to list the tools in. Default 15 s. */
  connectMs?: number;
  /** Milliseconds that a call may be silent: without an answer or word of progress. Default 2 minutes. */
  silenceMs?: number;
  /** Bytes of one answer, above which the connection is given up. Default 32 MiB. */
  longestAnswer?: number;
  /** Milliseconds that a call may take in all. Default 10 minutes. */
  callMs?: number;
}

/**
 * A server, connected to when it is first asked and again when the connection was lost. Not connected, it holds nothing.
 * What it is asked rejects with whatever went wrong, for `mcpFault` to name, or with the signal's reason.
 */
export interface McpConnection {
  listTools(signal: AbortSignal): Promise<WireTool[]>;
  callTool(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
  isOpen(): boolean;
  /** Ends what is under way. The next request connects anew. */
  close(): Promise<void>;
}

interface Opened {
  client: Client;
  transport: StreamableHTTPClientTransport;
  /** Rejects when it cannot be connected to. */
  ready: Promise<void>;
  connected: boolean;
  /** Rejects when the connection is given up for what the server sends. */
  givenUp: Promise<never>;
}

const farewellMs = 1_000;

export function createMcpConnection(options: McpConnectionOptions): McpConnection {
  const { connectMs = 15_000, silenceMs = 120_000, callMs = 600_000, longestAnswer = 33_554_432 } = options;
  let opening: Opened | undefined;

  function opened(): Opened {
    if (opening !== undefined) return opening;
    const own = open();
    opening = own;
    own.client.onclose = () => forget(own);
    own.ready.catch(() => drop(own));
    return own;
  }

  function open(): Opened {
    // Nothing that a server asks of its client is offered: no sampling, no questions to people, no folders.
    const client = new Client(
      { name: "berth", version: "1" },
      { capabilities: {}, versionNegotiation: { mode: "auto" }, jsonSchemaValidator: acceptAll },
    );
    const givenUp = Promise.withResolvers<never>();
    givenUp.promise.catch(() => undefined);
    const giveUp = (error: AnswerTooLong) => {
      givenUp.reject(error);
      void client.close();
    };
    const transport = new StreamableHTTPClientTransport(new URL(options.url), {
      fetch: limitedFetch(options.fetch, longestAnswer, giveUp),
      authProvider: { token: async () => (await options.token()) ?? undefined },
      requestInit: { redirect: "manual" },
    });
    const ready = client.connect(transport, { timeout: connectMs }).then(() => {
      own.connected = true;
    });
    const own: Opened = { client, transport, ready, connected: false, givenUp: givenUp.promise };
    return own;
  }

  /** What was refused because the server knows the session no more is asked again, once, in a new one. */
  async function ask<T>(signal: AbortSignal, request: (client: Client) => Promise<T>): Promise<T> {
    const known = opening !== undefined;
    try {
      return await attempt(signal, request);
    } catch (error) {
      if (!known || signal.aborted || !isUnknownSession(error)) throw error;
      return await attempt(signal, request);
    }
  }

  async function attempt<T>(signal: AbortSignal, request: (client: Client) => Promise<T>): Promise<T> {
    const own = opened();
    try {
      await orAborted(Promise.race([own.ready, own.givenUp]), signal);
      return await orAborted(Promise.race([own.givenUp, request(own.client)]), signal);
    } catch (error) {
      if (signal.aborted ? !own.connected : isLost(error)) await drop(own);
      throw error;
    }
  }

  function forget(own: Opened): void {
    if (opening === own) opening = undefined;
  }

  async function drop(own: Opened): Promise<void> {
    forget(own);
    await own.client.close();
  }

  /** The server is told, so that it keeps nothing for us, and has a moment to take note. */
  async function close(): Promise<void> {
    const own = opening;
    if (own === undefined) return;
    forget(own);
    if (own.connected) {
      const told = own.transport.terminateSession().catch(() => undefined);
      await Promise.race([told, pause(farewellMs, undefined, { ref: false })]);
    }
    await own.client.close();
  }

  return {
    listTools: (signal) =>
      ask(
        signal,
        async (client) => (await client.listTools(undefined, { signal, timeout: connectMs })).tools,
      ),
    callTool: (name, input, signal) =>
      ask(signal, (client) =>
        client.callTool(
          { name, arguments: input },
          {
            signal,
            timeout: silenceMs,
            resetTimeoutOnProgress: true,
            maxTotalTimeout: callMs,
            onprogress: () => undefined,
          },
        ),
      ),
    isOpen: () => opening !== undefined,
    close,
  };
}

/** A schema of a server is data: it is never compiled or matched here. The server answers for what it sends. */
const acceptAll: NonNullable<ClientOptions["jsonSchemaValidator"]> = {
  getValidator<T>() {
    return (input): JsonSchemaValidatorResult<T> => ({
      valid: true,
      data: input as T,
      errorMessage: undefined,
    });
  },
};
