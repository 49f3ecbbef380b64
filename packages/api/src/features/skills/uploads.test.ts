// Subject: read-skill-upload, with unzip and pack-skill.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { pathFault } from "@berth/store/skills";
import fc from "fast-check";
import { type Part, testApp, type Wire } from "../../../test-support/http.ts";
import { manual, postZip, type ZipEntry, zip } from "../../../test-support/skills.ts";

const good: ZipEntry = { name: "SKILL.md", content: manual("tidy") };

const file = (path: string, content: string, executable: boolean) => ({
  path,
  size_bytes: Buffer.byteLength(content),
  executable,
  content_sha256: createHash("sha256").update(content).digest("hex"),
});

function stored(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

describe("uploads of skills", () => {
  test("a zip archive and the same files one by one → equal versions", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const tree = {
      "pack/SKILL.md": manual("tidy", "'Tidies: up.'"),
      "pack/scripts/a.sh": "#!/bin/sh\n",
      "pack/räume/data.bin": "\u0000\u0001",
    };
    const archive = zip([
      { name: "pack/", mode: 0o040755 },
      ...Object.entries(tree).map(([name, content]) => ({ name, content })),
      { name: "__MACOSX/pack/._SKILL.md", content: "x" },
      { name: "pack/.DS_Store", content: "x" },
      { name: "pack/tool", content: "\u007fELF", mode: 0o100755 },
    ]);
    const made = (await postZip(owner, archive)).body;
    assert.deepEqual([made.name, made.description, made.latest_version], ["tidy", "Tidies: up.", 1]);
    const { body: version } = await owner.get(`/skills/${made.id}/versions/1`);
    assert.deepEqual(version.files, [
      file("SKILL.md", tree["pack/SKILL.md"], false),
      file("räume/data.bin", "\u0000\u0001", false),
      file("scripts/a.sh", "#!/bin/sh\n", true),
      file("tool", "\u007fELF", true),
    ]);
    const parts: Part[] = [
      { name: "metadata", content: '{"a":"b"}' },
      ...Object.entries(tree).map(([path, content]) => ({ name: "files[]", filename: path, content })),
      { name: "display_title", content: "Tidy up" },
    ];
    const other = await app.caller({ email: "other@example.com" });
    const listed = (await other.form("/skills", parts)).body;
    assert.deepEqual([listed.name, listed.display_title, listed.metadata], ["tidy", "Tidy up", { a: "b" }]);
    const { body } = await other.get(`/skills/${listed.id}/versions/${version.version}`);
    assert.deepEqual(
      body.files,
      version.files.filter(({ path }: { path: string }) => path !== "tool"),
    );
  });

  test("an archive with a forbidden entry → rejected, and nothing is left", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const with_ = (...entries: ZipEntry[]) => zip([good, ...entries]);
    const bomb = Buffer.alloc(31 * 1024 * 1024);
    const refusals: [Uint8Array, RegExp][] = [
      [Buffer.from("PK nothing"), /not a zip archive/],
      [with_().subarray(0, 60), /not a zip archive/],
      [zip([]), /has no SKILL\.md/],
      [zip([{ name: "skill.md", content: manual("tidy") }]), /has no SKILL\.md/],
      [zip([{ name: "a/b/SKILL.md", content: manual("tidy") }]), /at the top or in the one directory/],
      [
        with_({ name: "sub/SKILL.md" }),
        /has the skills .SKILL\.md. and .sub\/SKILL\.md.: upload the directory of each alone/,
      ],
      [
        zip([{ name: "a/SKILL.md", content: manual("tidy") }, { name: "b" }]),
        /'b' outside of the directory 'a'/,
      ],
      [with_({ name: "/etc/passwd" }), /is absolute/],
      [with_({ name: "../up" }), /leads out/],
      [with_({ name: "a/../../up" }), /leads out/],
      [with_({ name: ".." }), /leads out/],
      [with_({ name: "../" }), /leads out/],
      [with_({ name: "a//b" }), /empty part/],
      [with_({ name: "./a" }), /empty part/],
      [with_({ name: "a\\..\\b" }), /backslash/],
      [with_({ name: "a\u0000b" }), /control characters/],
      [with_({ name: `${"d/".repeat(33)}f` }), /lies deeper than 32 directories/],
      [with_({ name: "a\nb" }), /control characters/],
      [with_({ name: Buffer.from([0x61, 0xff, 0xfe]) }), /not valid UTF-8/],
      [with_({ name: "x".repeat(600) }), /longer than 512 bytes/],
      [with_({ name: "x".repeat(300) }), /more than 255 bytes/],
      [with_({ name: "link", content: "/etc/passwd", mode: 0o120777 }), /neither a file nor a directory/],
      [with_({ name: "dir/", content: "/etc", mode: 0o120777 }), /neither a file nor a directory/],
      [with_({ name: "pipe", mode: 0o010644 }), /neither a file nor a directory/],
      [with_({ name: "secret", content: "x", flags: 0x801 }), /is encrypted/],
      [with_({ name: "odd", content: "x", method: 12 }), /unsupported compression method/],
      [with_({ name: "cut", content: "hello", checksum: 1 }), /'cut', which is damaged/],
      [with_({ name: "small", content: "hello", announcedSize: 2 }), /'small', which is damaged/],
      [with_({ name: "a" }, { name: "a" }), /'a' twice/],
      [with_({ name: "a" }, { name: "a/b" }), /'a' both as a file and as a directory/],
      [zip([good, ...Array.from({ length: 500 }, (_, n) => ({ name: `f${n}` }))]), /more than 500 entries/],
      [with_({ name: "bomb", content: bomb }), /larger than 30 MiB/],
      [with_({ name: "bomb", content: bomb, announcedSize: 10 }), /damaged|larger than 30 MiB/],
    ];
    for (const [archive, message] of refusals) {
      const { status, body } = await postZip(owner, archive);
      assert.equal(status, 400, `${message}: ${JSON.stringify(body)}`);
      assert.match(body.error.message, message);
      assert.equal(body.error.param, "file");
    }
    assert.deepEqual(stored(app.blobsDir), []);
    assert.deepEqual((await owner.get("/skills")).body.data, []);
  });

  test("frontmatter with very many fields → parsed in time", async (t) => {
    const owner = await (await testApp(t)).caller();
    const fields = Array.from({ length: 9_000 }, (_, at) => `k${at}:\n`).join("");
    const manual = `---\nname: x\ndescription: "two\\nlines"\n${fields}---\n`;
    const before = process.threadCpuUsage();
    const { status, text } = await postZip(owner, zip([{ name: "SKILL.md", content: manual }]));
    const milliseconds = process.threadCpuUsage(before).user / 1_000;
    assert.equal(status, 200, text);
    assert.ok(milliseconds < 1_500, `${milliseconds} ms`);
  });

  test("a SKILL.md without a valid name and description → rejected", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const bomb = `a: &a [1]\nb: &b [*a,*a]\nname: x\ndescription: [*b,*b]\n`;
    for (const [text, message] of [
      ["# no frontmatter", /does not begin with frontmatter/],
      ["---\nname: x\ndescription: y\n", /does not begin with frontmatter/],
      ["---\nname: [x\n---\n", /whose line [23] is not valid YAML: \S/],
      [`---\n${bomb}---\n`, /not valid YAML/],
      [
        `---\nname: x\ndescription: y\nmore: ${"[".repeat(99)}${"]".repeat(99)}\n---\n`,
        /deeper than 32 levels/,
      ],
      [`---\nname: x\ndescription: ${"- ".repeat(20_000)}\n---\n`, /not valid YAML|deeper/],
      ["---\nname: x\nname: x\ndescription: y\n---\n", /whose line 3 gives the field 'name' twice/],
      [`---\nname: x\ndescription: "a\\0b"\n---\n`, /'description' must not contain control characters/],
      [`---\nname: x\ndescription: "a\\e[2Jb"\n---\n`, /must not contain control characters/],
      ["---\n- x\n---\n", /object/],
      ["---\ndescription: y\n---\n", /Field 'name' is required/],
      ["---\nname: x\n---\n", /Field 'description' is required/],
      ["---\nname: X\ndescription: y\n---\n", /lower-case letters/],
      ["---\nname: a/b\ndescription: y\n---\n", /lower-case letters/],
      [`---\nname: ${"x".repeat(65)}\ndescription: y\n---\n`, /lower-case letters/],
      ["---\nname: 7\ndescription: y\n---\n", /'name' must be a string/],
      ["---\nname: x\ndescription: ' '\n---\n", /must not be blank/],
      [`---\nname: x\ndescription: ${"y".repeat(4097)}\n---\n`, /in line 3: .*description.*4,?096/],
      [Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff]), /not valid UTF-8/],
    ] as const) {
      const { status, body } = await postZip(owner, zip([{ name: "SKILL.md", content: text }]));
      assert.equal(status, 400, String(text));
      assert.match(body.error.message, message, String(text));
    }
    const windows = zip([{ name: "SKILL.md", content: "\ufeff---\r\nname: x\r\ndescription: y\r\n---\r\n" }]);
    assert.equal((await postZip(owner, windows)).status, 200);
  });

  test("files by their paths: those that are named as executable, and those with an interpreter, are", async (t) => {
    const owner = await (await testApp(t)).caller();
    const parts: Part[] = [
      { name: "executable[]", content: "bin/tool" },
      { name: "files[]", filename: "SKILL.md", content: manual("tools", "x".repeat(1_068)) },
      { name: "files[]", filename: "bin/tool", content: "\u007fELF" },
      { name: "files[]", filename: "bin/data", content: "\u007fELF" },
      { name: "files[]", filename: "run", content: "#!/bin/sh\n" },
      { name: "files[]", filename: ".DS_Store", content: "x" },
      { name: "executable[]", content: ".DS_Store" },
      { name: "executable[]", content: "run" },
    ];
    const made = (await owner.form("/skills", parts)).body;
    assert.match(made.warnings[0], /has 1068 characters/);
    const { body } = await owner.get(`/skills/${made.id}/versions/1`);
    assert.deepEqual(
      body.files.map(({ path, executable }: Wire) => [path, executable]),
      [
        ["SKILL.md", false],
        ["bin/data", false],
        ["bin/tool", true],
        ["run", true],
      ],
    );
    assert.deepEqual(body.warnings, made.warnings);
    const again = await owner.form(`/skills/${made.id}/versions`, parts);
    assert.deepEqual(again.body.files, body.files);
    for (const path of ["missing", "tool", ""]) {
      const form = [...parts, { name: "executable[]", content: path }];
      const { status, body: rejected } = await owner.form("/skills", form);
      assert.deepEqual([status, rejected.error.param], [400, "files[]"], path);
    }
  });

  test("a part with bytes and without a file name → 400 that names it, on every route with a form", async (t) => {
    const owner = await (await testApp(t)).caller();
    const { id } = (await postZip(owner, zip([good]))).body;
    const bytes = (name: string, disposition = "") =>
      `--b\r\ncontent-disposition: form-data; name="${name}"${disposition}\r\ncontent-type: application/octet-stream\r\n\r\nx\r\n--b--\r\n`;
    const forms: [string, string, string | undefined][] = [
      ["/files", bytes("file"), "file"],
      ["/files", bytes("metadata"), "metadata"],
      ["/files", bytes("other"), "other"],
      ["/files", bytes("file", '; filename=""'), "file"],
      ["/skills", bytes("file"), "file"],
      ["/skills", bytes("files[]"), "files[]"],
      [`/skills/${id}/versions`, bytes("files[]"), "files[]"],
      ["/files", bytes("").replace(' name="";', "").replace('; name=""', ""), undefined],
    ];
    for (const [path, form, param] of forms) {
      const type = { "content-type": "multipart/form-data; boundary=b" };
      const { status, body } = await owner.raw(path, form, type);
      assert.deepEqual(
        [status, body.error.type, body.error.param],
        [400, "invalid_request_error", param],
        form,
      );
    }
  });

  test("an invalid form → rejected", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const file = { name: "file", filename: "a.zip", content: zip([good]) };
    const part = { name: "files[]", filename: "SKILL.md", content: manual("x") };
    for (const [parts, message] of [
      [[], "Field 'file' is required."],
      [[file, file], "Field 'file' must be given once."],
      [[file, part], "Only one of 'file' and 'files[]' may be given."],
      [[part, file], "Only one of 'file' and 'files[]' may be given."],
      [[{ name: "file", content: "x" }], "Field 'file' must be a file."],
      [[{ ...part, name: "other" }], "Unknown field 'other'."],
      [
        [file, { name: "display_title", content: "" }],
        "Field 'display_title' must have 1 to 256 characters.",
      ],
      [[part, { ...part }], "Field 'files[]' has the path 'SKILL.md' twice."],
      [
        [part, { ...part, filename: "../x" }],
        "Field 'files[]' has the path '../x', which leads out of its directory.",
      ],
    ] satisfies [Part[], string][]) {
      const { status, body } = await owner.form("/skills", parts);
      assert.deepEqual([status, body.error.message], [400, message]);
    }
    assert.deepEqual(stored(app.blobsDir), []);
  });

  test("a valid path never leaves the directory that it is joined to", () => {
    const part = fc.constantFrom("a", "..", ".", "", "/", "\\", "\u0000", "é", "b c", "...", "\ud800");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.boolean(), (parts, slashes) => {
        const path = parts.join(slashes ? "/" : "");
        if (pathFault(path) !== null) return;
        const resolved = new URL(`file:///root/${path.split("/").map(encodeURIComponent).join("/")}`);
        assert.equal(decodeURIComponent(resolved.pathname), `/root/${path}`);
      }),
    );
  });
});
