import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Sandbox } from "../../src/interface/sandbox.ts";
import { conformanceTest, ok, type Suite, sh } from "./context.ts";

/** Starts a Perl server of this body, with `$c` as the connection. It listens when this resolves. */
async function serve(sandbox: Sandbox, port: number, body: string, family = "AF_INET"): Promise<void> {
  const address =
    family === "AF_INET"
      ? `pack_sockaddr_in(${port}, INADDR_LOOPBACK)`
      : `Socket::pack_sockaddr_in6(${port}, Socket::inet_pton(AF_INET6, "::1"))`;
  const program = `use Socket; socket(S, ${family}, SOCK_STREAM, 0) or die; setsockopt(S, SOL_SOCKET, SO_REUSEADDR, 1);
bind(S, ${address}) or die "bind: $!"; listen(S, 100) or die; open(my $up, ">", "/tmp/up-${port}"); close $up;
$SIG{CHLD} = "IGNORE"; for (;;) { accept(my $c, S) or next; next if fork; select((select($c), $| = 1)[0]); ${body}; exit }`;
  await ok(sandbox, "cat >/tmp/server-$PORT.pl", {
    stdin: Buffer.from(program),
    environment: { PORT: `${port}` },
  });
  await ok(
    sandbox,
    `perl /tmp/server-${port}.pl >/tmp/log-${port} 2>&1 & until [ -e /tmp/up-${port} ]; do kill -0 $! || { cat /tmp/log-${port}; exit 1; }; done`,
  );
}

async function connected(sandbox: Sandbox, port: number): Promise<Duplex> {
  const connection = await sandbox.connect(port);
  if (!connection.ok) assert.fail(`not connected: ${connection.reason}`);
  return connection.stream;
}

/** Resolves when the stream is closed, also by an error. */
const closeOf = (stream: Duplex) => new Promise<void>((resolve) => stream.once("close", () => resolve()));

const ECHO = "while (sysread $c, my $b, 65536) { syswrite $c, $b }";

/** Tests of connections to ports. */
export function portTests(suite: Suite): void {
  conformanceTest(
    suite,
    "port: bytes pass both ways, also those that end a shell's output, and each side ends by itself",
    async ({ open }) => {
      const sandbox = await open();
      await serve(
        sandbox,
        5000,
        "my $all = ''; while (sysread $c, my $b, 65536) { $all .= $b } print $c $all",
      );
      // Until the client has ended its side, this server sends nothing.
      const stream = await connected(sandbox, 5000);
      const sent = Buffer.concat([randomBytes(300_000), Buffer.from("\x1e")]);
      stream.end(sent);
      assert.ok(sent.equals(await buffer(stream)));
      await serve(sandbox, 5001, ECHO);
      const echo = await connected(sandbox, 5001);
      for (const part of [Buffer.from("\x1e"), Buffer.from([0, 10, 30, 255]), Buffer.from("\x1e\x1e")]) {
        echo.write(part);
        let got = Buffer.alloc(0);
        while (got.length < part.length) got = Buffer.concat([got, (await once(echo, "data"))[0]]);
        assert.deepEqual(got, part);
      }
      echo.end();
      await once(echo, "close");
    },
  );

  conformanceTest(suite, "port: a program that listens at ::1 alone is found", async ({ open }) => {
    const sandbox = await open();
    if ((await sh(sandbox, "[ -s /proc/net/if_inet6 ]")).exitCode !== 0) return;
    await serve(sandbox, 5002, "print $c 'six'", "AF_INET6");
    const stream = await connected(sandbox, 5002);
    stream.end();
    assert.equal((await buffer(stream)).toString(), "six");
  });

  conformanceTest(suite, "port: where nothing listens, and after the sandbox's end", async ({ open }) => {
    const sandbox = await open();
    assert.deepEqual(await sandbox.connect(5003), { ok: false, reason: "not_listening" });
    await serve(sandbox, 5003, ECHO);
    const stream = await connected(sandbox, 5003);
    const closed = closeOf(stream);
    await sandbox.close();
    await closed;
    assert.deepEqual(await sandbox.connect(5003), { ok: false, reason: "gone" });
  });

  conformanceTest(
    suite,
    "port: a client that does not read holds up the server, and not what it sends itself",
    async ({ open }) => {
      const sandbox = await open();
      const drain =
        "if (fork) { my $n = 0; while (my $g = sysread $c, my $b, 65536) { $n += $g } open(F, '>', '/data/got'); print F $n; close F; exit }";
      await serve(
        sandbox,
        5004,
        `${drain} my $s = 0; while ($s < 20000000) { $s += syswrite $c, 'x' x 65536 } shutdown $c, 1`,
      );
      const stream = await connected(sandbox, 5004);
      stream.end(randomBytes(3_000_000));
      await once(stream, "finish");
      await ok(sandbox, "until [ -s /data/got ]; do sleep 0.1; done");
      assert.equal(await ok(sandbox, "cat /data/got"), "3000000");
      let size = 0;
      for await (const chunk of stream) size += chunk.length;
      assert.ok(size >= 20_000_000 && size % 65_536 === 0, `${size} bytes`);
    },
  );

  conformanceTest(
    suite,
    "port: many at once, none of which is a process of the agent, and each ends when it is destroyed",
    async ({ open }) => {
      const sandbox = await open();
      await serve(sandbox, 5005, ECHO);
      const before = await sandbox.processes();
      const streams = await Promise.all(Array.from({ length: 20 }, () => connected(sandbox, 5005)));
      streams.map((stream, index) => stream.write(`${index}\n`));
      const said = await Promise.all(streams.map(async (stream) => `${(await once(stream, "data"))[0]}`));
      assert.deepEqual(
        said,
        streams.map((_, index) => `${index}\n`),
      );
      // Of each connection, the server's child is one of the agent's.
      assert.equal(await sandbox.processes(), before + streams.length);
      // A command that is killed takes no connection with it.
      const killed = await sh(sandbox, "sleep 600", { timeoutMs: 500 });
      assert.equal(killed.ended, "timeout");
      await ok(sandbox, ":", { shell: "main" });
      assert.doesNotMatch(await ok(sandbox, "cat /mnt/session/shells/processes"), /berth-relay/);
      for (const stream of streams) stream.destroy();
      await ok(sandbox, "while pgrep -f '^perl -e # berth-relay' >/dev/null; do sleep 0.1; done");
      await ok(sandbox, "while [ $(pgrep -cf server-5005) -gt 1 ]; do sleep 0.1; done");
      assert.equal(await sandbox.processes(), before);
    },
  );

  conformanceTest(
    suite,
    "port: processes that are asked to end have no relay among them",
    async ({ open }) => {
      const sandbox = await open();
      await serve(sandbox, 5006, ECHO);
      const stream = await connected(sandbox, 5006);
      const closed = closeOf(stream);
      await sandbox.terminate({ ms: 10_000 });
      await closed;
      assert.equal(await sandbox.processes(), 0);
    },
  );
}
