import type { Browser, Page } from "playwright-core";
import type { Api, Json } from "../../tests/acceptance/harness/api.ts";
import type { Berth } from "../../tests/acceptance/harness/berth.ts";
import { makeSession, runTurn } from "../../tests/acceptance/harness/fixtures.ts";
import { readOrEmpty } from "../../tests/acceptance/harness/read-or-empty.ts";
import { readFrames } from "../../tests/acceptance/harness/stream.ts";
import { launchBrowser, type Visit, visit } from "../../tests/console/harness/browser.ts";
import { signIn } from "../../tests/console/harness/console.ts";
import { type Figure, median, percentile } from "../figure.ts";

const VISITS = 7;
const SESSIONS = 60;
/**
 * The size of the long session: calls with two events each, calls in one response of the model, and messages
 * before them.
 */
const CALLS = 1_000;
const EACH = 100;
const MESSAGES_BEFORE = 18_000;
const CALLERS = 32;
const SCROLL_MS = 3_000;
/** The share of the visible part that each frame scrolls. */
const SCROLLED_SHARE = 0.2;
const ARRIVALS = 40;
const LAST = "The last of many words.";

/**
 * Measures the console in Chromium without a GPU. Times count from the start of the navigation, without a
 * cache.
 */
export async function consoleFigures(berth: Berth, api: Api): Promise<Figure[]> {
  const browser = await launchBrowser();
  try {
    const visited = await visit(browser, berth.url);
    const { page } = visited;
    await page.goto(`${berth.url}/console/`);
    await signIn(visited, api.token ?? "");
    const session = await longSession(api);
    for (let index = 0; index < SESSIONS; index++) await makeSession(api, { title: `Session ${index}` });
    const plain = await loads(visited, `${berth.url}/`, "main, body");
    return [
      {
        what: `list of ${SESSIONS} sessions readable`,
        ...against(plain),
        ...timed(await loads(visited, `${berth.url}/console/sessions`, "tbody tr")),
        limit: 700,
      },
      ...(await longFigures(
        browser,
        visited,
        `${berth.url}/console/sessions/${session}`,
        plain,
        api,
        session,
      )),
      await arrivalFigure(page, berth, api),
    ];
  } finally {
    await browser.close();
  }
}

const against = (values: readonly number[]) => ({
  peer: "the service's front page, without scripts, as far as its load event",
  peerValue: median(values),
});

const timed = (values: readonly number[]) => ({
  unit: "ms" as const,
  value: median(values),
  p95: percentile(values, 0.95),
});

async function longSession(api: Api): Promise<string> {
  const { id } = await makeSession(api, { title: "A long session" });
  let left = MESSAGES_BEFORE;
  const caller = async () => {
    while (left-- > 0) {
      const text = `Message ${left}: the build of **main** is green, as of \`now\`.`;
      const event = { type: "system.message", content: [{ type: "text", text }] };
      await api.ok("POST", `/sessions/${id}/events`, { events: [event] });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const calls = Array.from({ length: EACH }, (_, index) => ({
    tool: "Glob",
    input: { pattern: `*.absent-${index}` },
  }));
  const steps: Json[] = Array.from({ length: CALLS / EACH }, () => ({ tools: calls }));
  await runTurn(api, id, ...steps, { say: LAST });
  return id;
}

/** Returns milliseconds from the navigation until an element is rendered, for visits one after another. */
async function loads({ page, context }: Visit, url: string, selector: string): Promise<number[]> {
  const client = await context.newCDPSession(page);
  await client.send("Network.setCacheDisabled", { cacheDisabled: true });
  const durations: number[] = [];
  for (let index = 0; index < VISITS; index++) {
    await page.goto("about:blank");
    await page.goto(url, { waitUntil: "commit" });
    durations.push(await drawnAt(page, selector));
  }
  return durations;
}

/** Returns the time of the first frame with the element and the text in it. */
function drawnAt(page: Page, selector: string, text = ""): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const look = () => {
      const found = [...document.querySelectorAll(${JSON.stringify(selector)})];
      if (found.some((one) => one.textContent.includes(${JSON.stringify(text)}))) resolve(performance.now());
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

async function longFigures(
  browser: Browser,
  visited: Visit,
  url: string,
  plain: readonly number[],
  api: Api,
  session: string,
): Promise<Figure[]> {
  const { page } = visited;
  const readable: number[] = [];
  for (let index = 0; index < VISITS; index++) {
    await page.goto("about:blank");
    await page.goto(url, { waitUntil: "commit" });
    readable.push(await drawnAt(page, "section[aria-label=Transcript]", LAST));
  }
  await page.goto(`${url}?panel=events`);
  await page
    .getByText(/20,\d{3}/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Close the panel" }).click();
  const bytes = await bytesOf(api, session);
  const frames = await framesPerSecond(page, "section[aria-label=Transcript]");
  const { process, heap } = await memoryOf(browser, visited);
  await page.setContent(
    `<section style="height:100vh;overflow:auto"><pre>${"a plain line\n".repeat(20_000)}</pre></section>`,
  );
  return [
    { what: "session of 20,000 events readable", ...against(plain), ...timed(readable), limit: 700 },
    {
      what: "the same, frames while it is scrolled",
      peer: "20,000 plain lines, scrolled alike",
      unit: "/s",
      value: frames,
      peerValue: await framesPerSecond(page, "section"),
      limit: 50,
    },
    {
      what: "the same, memory of the page's process",
      peer: "its events as JSON",
      unit: "MiB",
      value: process,
      peerValue: bytes / 1024 / 1024,
      limit: 250,
      note: `${heap.toFixed(0)} MiB of it JavaScript's`,
    },
  ];
}

async function bytesOf(api: Api, session: string): Promise<number> {
  let bytes = 0;
  const stop = new AbortController();
  for await (const { data } of readFrames(api, session, { query: "from=start", signal: stop.signal })) {
    bytes += JSON.stringify(data).length;
    if (data.type === "session.status_idle") break;
  }
  stop.abort();
  return bytes;
}

/** Returns the frames per second while each frame scrolls by a part of the view. */
function framesPerSecond(page: Page, selector: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const scroller = document.querySelector(${JSON.stringify(selector)});
    scroller.scrollTop = scroller.scrollHeight;
    const begun = performance.now();
    let count = 0;
    const next = () => {
      const passed = performance.now() - begun;
      if (passed > ${SCROLL_MS}) return resolve((count * 1000) / passed);
      count += 1;
      scroller.scrollTop -= scroller.clientHeight * ${SCROLLED_SHARE};
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })`);
}

/** Returns the page's memory after a garbage collection, in MiB. */
async function memoryOf(browser: Browser, { page, context }: Visit) {
  const client = await context.newCDPSession(page);
  await client.send("HeapProfiler.collectGarbage");
  const heap = await client.send("Runtime.getHeapUsage");
  const root = await browser.newBrowserCDPSession();
  const { processInfo } = await root.send("SystemInfo.getProcessInfo");
  const sizes = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => Number(/^Pss:\s+(\d+)/m.exec(readOrEmpty(`/proc/${id}/smaps_rollup`))?.[1] ?? 0));
  return { process: Math.max(...sizes) / 1024, heap: heap.usedSize / 1024 / 1024 };
}

/** Measures from the arrival of an event at a client of the stream to the frame that shows it. */
async function arrivalFigure(page: Page, berth: Berth, api: Api): Promise<Figure> {
  const session = await makeSession(api, { title: "Arrivals" });
  await page.goto(`${berth.url}/console/sessions/${session.id}`);
  await page.getByRole("textbox", { name: "Message to the agent" }).waitFor();
  const stop = new AbortController();
  const opened = Promise.withResolvers<void>();
  const stream = readFrames(api, session.id, { signal: stop.signal, onOpen: opened.resolve });
  const next = stream.next();
  await opened.promise;
  const seen: number[] = [];
  const posts: number[] = [];
  let pending = next;
  for (let index = 0; index < ARRIVALS; index++) {
    const text = `Arrival ${index} of many.`;
    const drawn = drawnAt(page, "section[aria-label=Transcript]", text);
    drawn.catch(() => undefined);
    const begun = now();
    const event = { type: "system.message", content: [{ type: "text", text }] };
    await api.ok("POST", `/sessions/${session.id}/events`, { events: [event] });
    await pending;
    const arrived = now();
    pending = stream.next();
    const origin = await page.evaluate<number>("performance.timeOrigin");
    seen.push(origin + (await drawn) - arrived);
    posts.push(arrived - begun);
  }
  stop.abort();
  await pending.catch(() => undefined);
  return {
    what: "event on screen after a client of the stream has it",
    peer: "from its POST to that client",
    ...timed(seen),
    peerValue: median(posts),
    limit: 50,
  };
}

const now = () => performance.timeOrigin + performance.now();
