import assert from "node:assert/strict";
import { type AnyJson, assertError, type Json } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeSession, runTurn, toolResults } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { api } = await sharedService();
const type = "agent_toolset_20260401";

async function sessionWith(...configs: Json[]): Promise<string> {
  const { id: agent } = await makeAgent(api, { tools: [{ type, ...(configs.length > 0 && { configs }) }] });
  return (await makeSession(api, { agent })).id;
}

/** Returns the results of a turn in which the model makes these calls, one in each response. */
async function results(session: string, ...calls: Json[]): Promise<string[]> {
  return toolResults(await runTurn(api, session, ...calls));
}

const read = (file_path: string, more: object = {}): Json => ({
  tool: "Read",
  input: { file_path, ...more },
});
const grep = (pattern: string, path: string): Json => ({
  tool: "Grep",
  input: { pattern, path, output_mode: "content" },
});

covers(
  ["result-limits", "agent-tools"],
  "max_result_bytes: of each tool as much of a result as its config says, and how to get the rest",
  async () => {
    const limits: [Json[], Record<string, number>][] = [
      [[], { Bash: 10_240, Read: 24_576, Grep: 12_288 }],
      [
        [
          { name: "Bash", max_result_bytes: 2_000 },
          { name: "Read", max_result_bytes: 60_000, permission_policy: { type: "always_allow" } },
          { name: "Grep", max_result_bytes: 1_000 },
        ],
        { Bash: 2_000, Read: 60_000, Grep: 1_000 },
      ],
    ];
    for (const [configs, most] of limits) {
      const id = await sessionWith(...configs);
      const line = "echo 'a line of forty-seven bytes, with its number '";
      const [, printed = "", shown = "", found = ""] = await results(
        id,
        bash(`for N in $(seq 1800); do ${line}$N; done >long.txt`),
        bash("cat long.txt"),
        read("long.txt"),
        grep("forty", "long.txt"),
      );
      for (const [name, text] of [
        ["Bash", printed],
        ["Read", shown],
        ["Grep", found],
      ] as const) {
        const bytes = Buffer.byteLength(text.slice(0, text.lastIndexOf("\n[")));
        assert.ok(bytes <= (most[name] ?? 0) && bytes > (most[name] ?? 0) - 120, `${name}: ${bytes}`);
      }

      const [, path = "", size] = /; the output is kept in (\S+), (\d+) bytes\]$/.exec(printed) ?? [];
      const [, last, all] = /\n\[Lines 1 to (\d+) of (\d+)\. Use offset to read on\.\]$/.exec(shown) ?? [];
      assert.equal(all, "1800");
      assert.match(found, /\n\[\d+ more lines are not shown\. Search a narrower path, glob or pattern\.\]$/);
      const [same = "", next = "", narrower = ""] = await results(
        id,
        bash(`cmp ${path} long.txt && wc -c <${path}`),
        read("long.txt", { offset: Number(last) + 1, limit: 1 }),
        grep("number 1800$", "long.txt"),
      );
      assert.equal(same, size);
      assert.ok(next.startsWith(`${Number(last) + 1}\ta line of`), next);
      assert.match(narrower, /^\/data\/long\.txt\n1800:a line [^\n]*$/);
    }
  },
);

covers(
  ["result-limits"],
  "max_result_bytes: returned as given, and out of its bounds or of another tool, rejected",
  async () => {
    const configs = [
      { name: "Bash", max_result_bytes: 1_000 },
      { name: "Grep", max_result_bytes: 102_400 },
    ];
    const made = await makeAgent(api, { tools: [{ type, configs }] });
    const policy = { enabled: true, permission_policy: { type: "always_allow" } };
    const resolved = configs.map((config) => ({ ...config, ...policy }));
    assert.deepEqual(made.tools[0].configs, resolved);
    const changed = await api.ok("POST", `/agents/${made.id}`, {
      version: 1,
      tools: [{ type, configs: [{ name: "Read", max_result_bytes: 50_000 }] }],
    });
    assert.deepEqual(changed.tools[0].configs, [{ name: "Read", max_result_bytes: 50_000, ...policy }]);
    const refused: [Json, RegExp][] = [
      [{ name: "Bash", max_result_bytes: 999 }, /1000/],
      [{ name: "Read", max_result_bytes: 102_401 }, /102400/],
      [{ name: "Grep", max_result_bytes: 2_000.5 }, /must be an integer/],
      [{ name: "Bash", max_result_bytes: "2000" }, /must be an integer/],
      [{ name: "Read", max_result_bytes: null }, /must be an integer/],
      [{ name: "Write", max_result_bytes: 2_000 }, /is only for Bash, Read, Grep, Explore\.$/],
      [{ name: "Glob", max_result_bytes: 2_000 }, /is only for Bash, Read, Grep, Explore\.$/],
    ];
    for (const [config, message] of refused)
      assertError(
        await api.post("/agents", {
          name: "a",
          model: "rehearsal/steps",
          tools: [{ type, configs: [config] }],
        }),
        400,
        "invalid_request_error",
        { param: "tools[0].configs[0].max_result_bytes", message },
      );
  },
);

covers(
  ["result-repeats"],
  "results: lines that were read before and a directory that was told are not said again, in later turns, too",
  async () => {
    const id = await sessionWith();
    const unchanged = "(Unchanged since your last Read of these lines, whose result is above.)";
    const [, first, again] = await results(id, bash("seq 200 >a.txt"), read("a.txt"), read("/data/a.txt"));
    assert.match(first ?? "", /^1\t1\n2\t2\n[\s\S]*\n200\t200$/);
    assert.equal(again, unchanged);
    const [later, part, , changed, whole] = await results(
      id,
      read("a.txt"),
      read("a.txt", { offset: 2, limit: 90 }),
      bash("sed -i s/100/hundred/ a.txt"),
      read("a.txt"),
      read("a.txt"),
    );
    assert.deepEqual([later, whole], [unchanged, unchanged]);
    assert.match(part ?? "", /^2\t2\n3\t3\n/);
    assert.match(
      changed ?? "",
      /its lines 98 to 102, which are now:\)\n98\t98\n99\t99\n100\thundred\n101\t101\n102\t102$/,
    );

    const places = await results(id, ...["mkdir b; cd b", "pwd", "cd /data; pwd", "pwd"].map(bash));
    assert.deepEqual(places, [
      "[working directory /data/b]",
      "/data/b",
      "/data\n[working directory /data]",
      "/data",
    ] satisfies AnyJson[]);
  },
);

covers(["agent-tools"], "calls of one response: what stands behind an Edit or a Write sees it", async () => {
  const id = await sessionWith();
  await results(id, bash("echo old >a.txt"));
  const [write, edit]: Json[] = [
    { tool: "Write", input: { file_path: "b.txt", content: "new" } },
    { tool: "Edit", input: { file_path: "a.txt", old_string: "old", new_string: "new" } },
  ];
  const texts = await results(id, {
    tools: [edit, read("a.txt"), write, read("b.txt"), bash("cat a.txt b.txt")],
  });
  for (const text of ["1\tnew", "new\nnew"]) assert.ok(texts.includes(text), texts.join("\n---\n"));
  assert.equal(texts.filter((text) => text === "1\tnew").length, 2);
});
