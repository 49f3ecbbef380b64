import assert from "node:assert/strict";
import { before } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { AnyJson } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeFile,
  runTurn,
  steps,
} from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { Console } from "./harness/console.ts";

const console = await Console.start();
const { api } = console;

const SCRIPT = [
  "<script>alert(1);window.owned=1</script>",
  "<img src=https://evil.example/pixel onerror=alert(2)>",
  "<iframe src=https://evil.example/ srcdoc='<script>alert(3)</script>'></iframe>",
  "<svg onload=alert(4)><a xlink:href=javascript:alert(5)>x</a></svg>",
  "<style>@import url(https://evil.example/css);*{display:none!important}</style>",
  "<base href=https://evil.example/><meta http-equiv=refresh content=0;url=https://evil.example/>",
  "<form action=https://evil.example/><input autofocus onfocus=alert(6)></form>",
  "{{constructor.constructor('alert(7)')()}} \"-alert(9)-\"",
].join("\n");
const MARKDOWN = [
  "[one](javascript:alert(10))",
  "[two](JaVaScRiPt&#58;alert(11))",
  "[three](data:text/html;base64,PHNjcmlwdD5hbGVydCgxMik8L3NjcmlwdD4=)",
  "[four](vbscript:msgbox(13)) [five](file:///etc/passwd) [six](//evil.example/a) [seven](/console/auth/sign-out)",
  "<javascript:alert(14)> [eight]: javascript:alert(15) [eight] [^1]\n\n[^1]: javascript:alert(16)",
  '![pixel](https://evil.example/pixel.png "onerror=alert(17)") ![svg](data:image/svg+xml,<svg/onload=alert(18)>)',
  "[fine](https://example.com/fine 'a title')",
  "```html\n<script>alert(19)</script>\n```",
  "```__proto__\nx\n```\n\n```constructor\ny\n```",
  "<details open ontoggle=alert(20)>\n\n| a | b |\n|---|---|\n| <img src=x onerror=alert(21)> | `</code><script>alert(22)</script>` |",
].join("\n\n");
const TRICKS = "invoice\u202Egnp.exe \u2066hidden\u2069 zero\u200Bwidth \u0007\u009b31m \uFEFF";
const ANSI =
  "printf '\\033]0;owned\\007\\033[2J\\033[H\\033[31mred\\033[0m \\033]8;;javascript:alert(23)\\033\\\\link\\033]8;;\\033\\\\ \\033[999999999m\\033[38;2;300;-1;x9mend\\n'";
const ALL = `${SCRIPT}\n${MARKDOWN}\n${TRICKS}`;
const LINE = "A line without an end. ";
/** Names that every object inherits. They are parsed from text, because a literal would set the prototype. */
const PROTOTYPES: AnyJson = JSON.parse(
  '{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}, "toString": "x", "hasOwnProperty": 1, "length": -1}',
);

const PROTOTYPES_SCHEMA: AnyJson = JSON.parse(
  '{"valueOf": {"type": "string", "description": "<script>alert(32)</script>"}, "constructor": {"type": "string", "enum": ["<b>", "toString"]}, "toString": {"type": "number"}}',
);

let session: AnyJson;
before(async () => {
  const agent = await makeAgent(api, {
    name: `Agent ${SCRIPT}`.slice(0, 200),
    description: ALL,
    tools: [
      { type: "agent_toolset_20260401" },
      {
        type: "custom",
        name: "constructor",
        description: ALL,
        input_schema: {
          type: "object",
          properties: PROTOTYPES_SCHEMA,
          $defs: { result: { type: "object", properties: PROTOTYPES_SCHEMA } },
        },
      },
    ],
  });
  const environment = await makeEnvironment(api, { name: "<img src=x onerror=alert(24)>" });
  const file = await makeFile(api, SCRIPT, "<img src=x onerror=alert(25)>.svg", undefined, "image/svg+xml");
  session = await api.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    title: `<script>alert(26)</script> ${TRICKS}`,
    metadata: { "<img src=x onerror=alert(27)>": SCRIPT.slice(0, 400) },
    resources: [{ type: "file", file_id: file.id }],
  });
  await runTurn(
    api,
    session.id,
    { say: ALL },
    bash(ANSI),
    bash(`cat <<'END'\n${SCRIPT}\nEND\nhead -c 200000 /dev/zero | tr '\\0' x`),
    { tool: "Write", input: { file_path: "/tmp/invoice\u202Egnp.html", content: ALL } },
    { tool: "Read", input: PROTOTYPES },
    { tool: "Grep", input: { pattern: SCRIPT, path: { toString: "x" } } },
    bash("curl -sS --max-time 5 https://evil.example/$(printf '<b>') || true"),
    bash(
      `cd /mnt/session/outputs && yes '${LINE}' | tr -d '\\n' | head -c 5000000 > line.txt && printf '%s' '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(28)"><script>alert(29)</script></svg>' > picture.svg && printf '<script>alert(30)</script>' > page.html && printf '=cmd|x,"<script>alert(31)</script>"\\n' > table.csv`,
    ),
    { say: "The last words." },
  );
  await api.ok("POST", `/sessions/${session.id}/events`, {
    events: [steps({ tool: "constructor", input: { valueOf: "x", constructor: "<b>", toString: 3 } })],
  });
  await readEventsUntil(api, session.id, waitsForResult, { signal: AbortSignal.timeout(60_000) });
});

const waitsForResult = (event: AnyJson) =>
  event.type === "session.status_idle" && event.stop_reason.type === "requires_action";

/** Asserts that nothing was executed, no text became an element, and no prototype was changed. */
async function assertNothingRan(page: Page, part: Locator): Promise<void> {
  assert.deepEqual(
    await page.evaluate(`["owned" in window, "polluted" in {}, document.querySelectorAll("base").length]`),
    [false, false, 0],
  );
  assert.equal(
    await part
      .locator("script, iframe, object, embed, style, form[action], [onerror], [onload], [srcdoc]")
      .count(),
    0,
  );
  const addresses = await part
    .locator("[href], [src], [action]")
    .evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? one.getAttribute("src") ?? "?"));
  for (const address of addresses)
    assert.match(
      address,
      /^(https:\/\/(example\.com|evil\.example)\/|\/console\/|\?event=|blob:|data:image\/(png|jpeg|gif|webp);)/,
    );
}

/** Scrolls up by half of the visible height, and waits until that is rendered. Returns false at the top. */
function scrollUp(transcript: Locator): Promise<boolean> {
  return transcript.evaluate(`(element) => {
    const isMore = element.scrollTop > 0;
    element.scrollTop -= element.clientHeight / 2;
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(isMore))));
  }`) as Promise<boolean>;
}

covers(
  ["console-hostile", "console-own-origin"],
  "a transcript whose every text is hostile: nothing of it runs, leads elsewhere, or hides what it is",
  async () => {
    const visited = await console.signedIn(`/sessions/${session.id}?panel=events`);
    const { page } = visited;
    const transcript = page.getByRole("region", { name: "Transcript" });
    await transcript.getByText("The agent waits for the result of this tool.").waitFor();
    assert.match(await page.title(), /^\(1\) <script>/);
    const seen: string[] = [];
    for (let isMore = true; isMore; isMore = await scrollUp(transcript)) {
      await assertNothingRan(page, transcript);
      seen.push(...(await transcript.allInnerTexts()));
    }
    const text = seen.join("\n");
    for (const shown of [
      "<script>alert(1);window.owned=1</script>",
      "invoice⟨U+202E⟩gnp",
      "⟨U+200B⟩",
      "⟨U+2066⟩",
    ])
      assert.ok(text.includes(shown), shown);
    const links = transcript.locator("a[target=_blank]");
    for (const link of await links.all())
      assert.match((await link.getAttribute("rel")) ?? "", /noopener.*noreferrer/);
    assert.deepEqual(visited.faults, []);
  },
);

covers(
  ["console-hostile"],
  "in every panel, preview and list as well, and the page goes on working beside a line of 5 MB",
  async () => {
    const visited = await console.signedIn(`/sessions/${session.id}?panel=files`);
    const { page } = visited;
    const beside = page.getByRole("complementary", { name: "Session panel" });
    for (const name of ["line.txt", "picture.svg", "page.html", "table.csv"]) {
      await beside
        .getByRole("button", { name: new RegExp(name) })
        .first()
        .click();
      const preview = page.getByRole("dialog");
      await preview.getByText(name).first().waitFor();
      await assertNothingRan(page, preview);
      await page.keyboard.press("Escape");
      await preview.waitFor({ state: "detached" });
    }
    for (const tab of await beside.getByRole("tab").all()) {
      await tab.click();
      await beside.getByRole("tabpanel").waitFor();
      await assertNothingRan(page, beside);
    }
    const transcript = page.getByRole("region", { name: "Transcript" });
    await transcript.getByRole("button", { name: "Send result" }).click();
    const message = page.getByRole("textbox", { name: "Message to the agent" });
    await message.fill(JSON.stringify({ steps: [{ say: "Still **here**." }] }));
    await message.press("Enter");
    await transcript.getByText("Still here.").waitFor();
    await page.getByRole("link", { name: "Sessions", exact: true }).click();
    await page.getByRole("row").filter({ hasText: "<script>alert(26)</script>" }).waitFor();
    await assertNothingRan(page, page.locator("main"));
    assert.deepEqual(visited.faults, []);
  },
);

covers(
  ["console-hostile"],
  "a message of nearly 4 MB on one line is folded, opened whole, and hinders nobody",
  async () => {
    const agent = await makeAgent(api);
    const long = await api.ok("POST", "/sessions", {
      agent: agent.id,
      environment_id: session.environment_id,
      title: "Long",
    });
    const huge = { type: "user.message", content: [{ type: "text", text: LINE.repeat(160_000) }] };
    await api.ok("POST", `/sessions/${long.id}/events`, { events: [huge] });
    const { page, faults } = await console.signedIn(`/sessions/${long.id}`);
    const transcript = page.getByRole("region", { name: "Transcript" });
    await transcript.getByText("Done", { exact: true }).waitFor();
    await transcript.getByRole("button", { name: "Show more" }).click();
    await transcript.getByRole("button", { name: /^Open all/ }).click();
    await page.getByRole("dialog").getByText(LINE).first().waitFor();
    await page.keyboard.press("Escape");
    const message = page.getByRole("textbox", { name: "Message to the agent" });
    await message.fill(JSON.stringify({ steps: [{ say: "Still here." }] }));
    await message.press("Enter");
    await transcript.getByText("Still here.", { exact: true }).waitFor();
    assert.deepEqual(faults, []);
  },
);
