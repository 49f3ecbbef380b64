import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A DevTools protocol message, or the parameters of one of its events. */
// biome-ignore lint/suspicious/noExplicitAny: the protocol's objects, read as they come
type Message = Record<string, any>;

/** Headless Chromium with one page, driven by the DevTools protocol. */
export class Browser {
  /** Complaints of the page: exceptions, console errors, blocked resources. */
  readonly complaints: string[] = [];
  /** Addresses and headers of all requests that the page started. */
  readonly requests: { url: string; headers: Record<string, string> }[] = [];

  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #replies = new Map<number, PromiseWithResolvers<Message>>();
  #session = "";
  #last = 0;

  private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = process;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(String(data))));
  }

  static async start(): Promise<Browser> {
    const profile = await mkdtemp(join(tmpdir(), "berth-browser-"));
    const flags = [
      "--headless",
      // Chromium's own sandbox does not start as root. The page is trusted, since it is this service's own.
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
    ];
    const child = spawn("chromium", [...flags, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
    const socket = new WebSocket(await addressOf(child));
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    const browser = new Browser(child, profile, socket);
    const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
    browser.#session = sessionId;
    for (const domain of ["Page", "Network", "Runtime", "Log"]) await browser.send(`${domain}.enable`);
    return browser;
  }

  async open(url: string): Promise<void> {
    await this.send("Page.navigate", { url });
  }

  /** Evaluates an expression in the page and returns its value; a promise is awaited. */
  async value<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }

  /** Waits until an expression is true in the page, evaluated after each change of the document. */
  async until(expression: string): Promise<void> {
    await this.value(`new Promise((resolve) => {
      const look = () => { if (${expression}) { observer.disconnect(); resolve(); } };
      const observer = new MutationObserver(look);
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      look();
    })`);
  }

  async send(method: string, params: Message = {}): Promise<Message> {
    const id = ++this.#last;
    const reply = Promise.withResolvers<Message>();
    this.#replies.set(id, reply);
    const session = this.#session === "" ? {} : { sessionId: this.#session };
    this.#socket.send(JSON.stringify({ id, method, params, ...session }));
    return await reply.promise;
  }

  async stop(): Promise<void> {
    const closed = once(this.#process, "exit");
    this.#socket.close();
    this.#process.kill("SIGKILL");
    await closed;
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #receive({ id, method, params, result, error }: Message): void {
    if (id !== undefined) {
      const reply = this.#replies.get(id);
      this.#replies.delete(id);
      if (error === undefined) reply?.resolve(result);
      else reply?.reject(new Error(error.message));
    } else if (method === "Network.requestWillBeSent") {
      this.requests.push(params.request);
    } else if (method === "Runtime.exceptionThrown") {
      this.complaints.push(JSON.stringify(params.exceptionDetails));
    } else if (method === "Runtime.consoleAPICalled" && params.type === "error") {
      this.complaints.push(JSON.stringify(params.args));
    } else if (method === "Log.entryAdded" && params.entry.level === "error") {
      this.complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    }
  }
}

/** Returns the DevTools address, which the browser writes to stderr. */
async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error("The browser has no standard error.");
  for await (const line of createInterface({ input: child.stderr })) {
    const address = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error("The browser did not start.");
}
