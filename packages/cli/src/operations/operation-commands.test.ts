import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Operation } from "@berth/sdk";
import { cliExample } from "@berth/sdk/examples";
import { commandWords, isAdministration, operations } from "@berth/sdk/operations";
import type { Command } from "commander";
import { type Installation, sharedInstallation } from "../../test-support/installation.ts";
import { createProgram } from "../program.ts";
import { listLines } from "../terminal/object.ts";
import { exampleHelp } from "./example-help.ts";

/** Returns whether a noun has operator operations, which have handwritten commands. */
const isOperators = (noun: object) => Object.values(noun as Record<string, Operation>).some(isAdministration);

test("every operation of the API has a command", () => {
  const program = createProgram();
  for (const noun of Object.values(operations)) {
    if (isOperators(noun)) continue;
    for (const verb of Object.keys(noun)) {
      const words = commandWords(Object.values(noun) as Operation[], verb);
      const found = words.reduce<Command | undefined>(
        (command, word) => command?.commands.find((each) => each.name() === word),
        program,
      );
      assert.ok(found, `no command: berth ${words.join(" ")}`);
      assert.notEqual(found.description(), "", words.join(" "));
    }
  }
});

test("every operation of the operator has an example, whose command takes its arguments and flags", () => {
  const program = createProgram();
  for (const noun of Object.values(operations).filter(isOperators)) {
    for (const operation of Object.values(noun) as Operation[]) {
      const words = cliExample(operation, [])
        .replaceAll(/"([^"]*) ([^"]*)"/g, "$1-$2")
        .split(" ")
        .slice(1);
      let command: Command = program;
      for (const word of words) {
        const next = command.commands.find((each) => each.name() === word);
        if (next === undefined) break;
        command = next;
        words.splice(words.indexOf(word), 1, "");
      }
      const { operands, unknown } = command.parseOptions(words.filter((word) => word !== ""));
      assert.deepEqual(unknown, [], operation.id);
      const required = command.registeredArguments.length;
      assert.ok(
        operands.length >= required,
        `${operation.id}: berth ${command.name()} ${operands.join(" ")}`,
      );
    }
  }
});

const JSON_BODY = /^\nExample:\nberth .* <<JSON\n\{[\s\S]*\nJSON\n/;

test("every group has a summary, and every command with a body shows an example", () => {
  const walk = (command: Command): Command[] => [command, ...command.commands.flatMap(walk)];
  for (const group of walk(createProgram())) assert.doesNotMatch(group.summary(), /^work with/, group.name());
  for (const noun of Object.values(operations)) {
    if (isOperators(noun)) continue;
    for (const [verb, operation] of Object.entries(noun) as [string, Operation][]) {
      const help = exampleHelp(operation, commandWords(Object.values(noun) as Operation[], verb));
      const shown = verb === "share" ? /^\nExample:\nberth .* --user .* --access write\n/ : JSON_BODY;
      if (operation.body === "json") assert.match(help, shown, operation.id);
    }
  }
});

test("a list of tokens shows their parents", () => {
  const [head = "", first = "", second = ""] = listLines([
    { id: "tok_b", name: "child", parent_id: "tok_a" },
    { id: "tok_a", name: "root", parent_id: null },
  ]);
  assert.match(head, /PARENT ID/);
  assert.match(first, /tok_b +child +tok_a$/);
  assert.match(second, /tok_a +root +-$/);
});

describe("operation commands", { timeout: 600_000 }, () => {
  let service: Installation;
  before(async () => {
    service = await sharedInstallation();
  });
  after(() => service.stop());

  test("share and unshare: with a user or the organization, by flags", async () => {
    const { id } = await service.json("vaults", "create", "-f", "display_name=Shared");
    const shared = await service.json("vaults", "share", id);
    assert.deepEqual([shared.visibility, shared.data[0].access], ["organization", "read"]);
    const refused = await service.run([
      "vaults",
      "share",
      id,
      "--user",
      "nobody@example.com",
      "--access",
      "write",
    ]);
    assert.match(refused.stderr, /The organization has no active user 'nobody@example\.com'\./);
    const stays = await service.run(["vaults", "unshare", id, "--user", "nobody@example.com"]);
    assert.match(stays.stderr, /The organization has no active user 'nobody@example\.com'\./);
    assert.match(await service.done("vaults", "list", "-q", "shared_with_me=true"), /^(No |$)/);
    assert.equal((await service.json("vaults", "unshare", id)).visibility, "private");
  });

  test("create by fields, get, update, list, delete", async () => {
    const made = await service.json(
      ...[
        "agents",
        "create",
        "-f",
        "name=Helper",
        "-f",
        "metadata.team=core",
        "-F",
        'model={"id":"rehearsal/steps"}',
      ],
    );
    assert.deepEqual(
      [made.name, made.metadata, made.model.id],
      ["Helper", { team: "core" }, "rehearsal/steps"],
    );
    assert.match(await service.done("agents", "get", made.id), /^id +agent_\S+\n(.+\n)*name +Helper\n/);
    const updated = await service.json(
      "agents",
      "update",
      made.id,
      "-F",
      "version=1",
      "-f",
      "system=Be short.",
    );
    assert.deepEqual([updated.version, updated.system], [2, "Be short."]);
    assert.equal((await service.json("agents", "get", made.id, "-q", "version=1")).system, "");
    assert.match(
      await service.done("agents", "list"),
      /^ID +NAME +VERSION +CREATED AT\nagent_\S+ +Helper +2 +20/,
    );
    assert.deepEqual(
      (await service.json("agents", "versions", made.id)).data.map(
        (each: { version: number }) => each.version,
      ),
      [2, 1],
    );
    assert.equal((await service.json("agents", "delete", made.id)).type, "agent_deleted");
    assert.equal(await service.done("agents", "list"), "");
  });

  test("list: ends at its limit; --all fetches all pages", async () => {
    const names = Array.from({ length: 21 }, (_, n) => `listed ${n}`);
    await writeFile(
      join(service.dir, "listed.yaml"),
      names.map((name) => `kind: environment\nname: ${name}\n`).join("---\n"),
    );
    const lines = (await service.done("apply", "-f", "listed.yaml", "--json")).trim().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).name),
      names,
    );
    assert.equal((await service.json("environments", "list")).data.length, 20);
    const some = await service.json("environments", "list", "--limit", "2");
    assert.deepEqual([some.data.length, some.has_more], [2, true]);
    const all = await service.json("environments", "list", "--all");
    assert.deepEqual([all.data.length, all.has_more], [21, false]);
  });

  test("list: lists without paging, and lists paged by ids", async () => {
    assert.match(await service.done("models", "list"), /rehearsal\/steps/);
    const ids: string[] = [];
    for (const name of ["one", "two", "three"]) {
      const { id } = await service.json("vaults", "create", "-f", `display_name=${name}`);
      await service.done("forward", "resources", "register", "-f", "type=vault", "-f", `resource.id=${id}`);
      ids.unshift(id);
    }
    const listed = await service.json("forward", "resources", "list", "-q", "type=vault", "--limit", "2");
    assert.deepEqual(
      [listed.data.map(({ id }: { id: string }) => id), listed.has_more],
      [ids.slice(0, 2), true],
    );
    const paged = ["api", "GET", "/api/v1/forward/resources", "-q", "type=vault", "limit=1", "--paginate"];
    const lines = (await service.done(...paged)).trim().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).id),
      ids,
    );
  });

  test("stream: JSON lines until the session is terminated", async () => {
    const agent = await service.json(
      "agents",
      "create",
      "-f",
      "name=streamed",
      "-f",
      "model=rehearsal/steps",
    );
    const { id: environment } = await service.json("environments", "create", "-f", "name=streamed");
    const { id } = await service.json(
      ...["sessions", "create", "-f", `agent=${agent.id}`, "-f", `environment_id=${environment}`],
    );
    await service.done("sessions", "terminate", id);
    const lines = (await service.done("sessions", "events", "stream", id, "-q", "from=start")).trim();
    assert.deepEqual(
      lines.split("\n").map((line) => JSON.parse(line).type),
      ["session.status_terminated"],
    );
  });

  test("api: a path without its first slash is accepted; a URL is rejected", async () => {
    assert.deepEqual(JSON.parse(await service.done("api", "GET", "models")).has_more, false);
    const refused = await service.run(["api", "GET", "http://127.0.0.1:1/api/v1/cloud/models"]);
    assert.deepEqual([refused.code, /Give the path alone/.test(refused.stderr)], [2, true]);
  });

  test("--input: a body from a YAML file and from standard input; --field: a secret from a file", async () => {
    await writeFile(
      join(service.dir, "environment.yaml"),
      "name: yaml\nconfig:\n  type: cloud\n  networking: {type: unrestricted}\n",
    );
    const made = await service.json(
      "environments",
      "create",
      "--input",
      "environment.yaml",
      "-f",
      "description=more",
    );
    assert.deepEqual(
      [made.name, made.description, made.config.networking.type],
      ["yaml", "more", "unrestricted"],
    );
    const { stdout } = await service.run(
      ["environments", "create", "--input", "-", "--json"],
      '{"name":"stdin"}',
    );
    assert.equal(JSON.parse(stdout).name, "stdin");
    await writeFile(join(service.dir, "secret"), "hush\n");
    const vault = await service.json("vaults", "create", "-f", "display_name=v");
    const credential = await service.json(
      ...["vaults", "credentials", "create", vault.id, "-f", "auth.type=static_bearer"],
      ...["-f", "auth.mcp_server_url=https://mcp.example/mcp", "-f", "auth.token=@secret"],
    );
    assert.match(credential.id, /^vcred_/);
  });

  test("content: bytes are written unchanged", async () => {
    await writeFile(join(service.dir, "a.bin"), Uint8Array.of(0, 255, 10));
    const { id, status, filename } = await service.json("files", "upload", "a.bin");
    assert.deepEqual([status, filename], ["ready", "a.bin"]);
    const announced = JSON.parse(
      await service.done("api", "POST", "/files", "-f", "filename=later.bin", "-F", "size_bytes=3"),
    );
    assert.equal((await service.json("files", "put-content", announced.id, "a.bin")).status, "ready");
    assert.equal(await service.done("files", "content", id, "-o", "b.bin"), "");
    assert.deepEqual(await readFile(join(service.dir, "b.bin")), Buffer.of(0, 255, 10));
  });

  test("files upload: name and type are as given; by default the name is that of the file", async () => {
    await writeFile(join(service.dir, "notes.txt"), "notes");
    const given = await service.json(
      "files",
      "upload",
      "notes.txt",
      "--name",
      "n.csv",
      "--type",
      "text/html",
    );
    assert.deepEqual([given.filename, given.mime_type], ["n.csv", "text/html"]);
    const shared = await service.json("files", "upload", "notes.txt", "--visibility", "organization");
    assert.deepEqual([shared.filename, shared.visibility], ["notes.txt", "organization"]);
    assert.equal((await service.json("files", "upload", "notes.txt")).visibility, "private");
  });

  test("wrong usage → exit code 2; API errors → exit code 1", async () => {
    for (const [args, says] of [
      [["agents", "create", "-f", "name"], /'name' must have the form name=value/],
      [["agents", "create", "-F", "model={"], /The value of 'model' is not JSON/],
      [["agents", "create", "--input", "none.yaml"], /Cannot read 'none.yaml': no such file or directory\./],
      [["files", "upload", "none.csv"], /^error: Cannot read 'none.csv': no such file or directory\.\n$/],
      [["files", "upload", "."], /^error: '\.' is not a file\.\n$/],
      [["agents", "get"], /missing required argument 'agent-id'/],
      [["agents", "list", "--all", "--limit", "2"], /'--all' cannot be used with option '--limit/],
      [["agents", "list", "-q", "limit=2"], /Set the number of objects with --limit/],
      [["agents", "list", "-q", "page=a", "page=b"], /'page' is given twice/],
    ] as const) {
      const { code, stderr } = await service.run([...args]);
      assert.equal(code, 2, args.join(" "));
      assert.match(stderr, says);
    }
    const { code, stdout, stderr } = await service.run(["agents", "create", "-f", "name=x"]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(
      stderr,
      /Field 'model' is required\.\n {2}type: invalid_request_error\n {2}field: model, set by -f, -F or --input\n/,
    );
    const query = await service.run(["forward", "resources", "list"]);
    assert.match(query.stderr, /Field 'type' is required\.\n {2}type: \w+\n {2}field: type, set by -q\n/);
  });

  test("api: any request, and its response unchanged", async () => {
    const made = JSON.parse(await service.done("api", "POST", "/environments", "-f", "name=raw"));
    assert.equal(made.name, "raw");
    const found = JSON.parse(await service.done("api", "get", `/api/v1/cloud/environments/${made.id}`));
    assert.deepEqual(found, made);
    const head = await service.done("api", "GET", "/environments?limit=1", "-H", "x-request-id: mine", "-i");
    assert.match(head, /^HTTP 200\n(.+\n)*x-request-id: mine\n/);
    const lines = await service.done("api", "GET", "/environments", "-q", "limit=2", "--paginate");
    const { data } = await service.json("environments", "list", "--all");
    assert.deepEqual(
      lines
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
      data,
    );
    assert.equal((await service.run(["api", "PATCH", "/agents"])).code, 2);
    assert.equal((await service.run(["api", "GET", "/nothing"])).code, 1);
  });
});
