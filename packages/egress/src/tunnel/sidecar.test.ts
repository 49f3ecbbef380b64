// Subject: the sidecar, with gateways and lines that misbehave.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import {
  openPodNetwork,
  type SidecarLine,
  startSidecar,
  writeSidecar,
} from "../../test-support/tunnelled-egress.ts";
import type { KeyPair } from "../mitm/openssl.ts";
import { GATEWAY_NAME, makeTunnelAuthority, signGateway, signSidecar } from "./certificates.ts";
import { encodeFrame } from "./frames.ts";
import { type EgressGateway, openGateway } from "./gateway.ts";
import type { TunnelGrant } from "./tunnel.ts";

const skip = process.getuid?.() === 0 ? false : "the network of a pod needs root";
const run = promisify(execFile);

let directory: string;
let program: string;
let authority: KeyPair;
let pair: KeyPair;
let gateway: EgressGateway;
let grants: () => Promise<Map<string, TunnelGrant>>;
const granted = async () =>
  new Map([["a", { policy: { mode: "limited", hosts: [] }, revision: 1 } as TunnelGrant]]);

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "sidecar-"));
  program = await writeSidecar(directory);
  authority = await makeTunnelAuthority();
  pair = await signSidecar(authority);
  gateway = await openGateway({
    address: { host: "0.0.0.0", port: 0 },
    tls: { authority: authority.certificate, ...(await signGateway(authority)) },
    grants: () => grants(),
    pollMs: 10,
    unknownMs: 200,
  });
});

after(async () => {
  await gateway.close();
  await rm(directory, { recursive: true, force: true });
});

const settings = (host: string, port = gateway.port) => ({
  gateway: { host, port },
  ...{ name: GATEWAY_NAME, authority: authority.certificate, ...pair, id: "a", token: "t" },
});

async function until(lines: AsyncIterator<string>, kind: SidecarLine["kind"]): Promise<void> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) assert.fail(`it ended before ${kind}`);
    if ((JSON.parse(value) as SidecarLine).kind === kind) return;
  }
}

test("two in one container: the one of the newer lease stays, whichever comes first", { skip }, async () => {
  grants = granted;
  const network = await openPodNetwork();
  const script = `{ printf '%s\\n' "$2"; exec sleep infinity; } | "$0" "$1" 2 routes &
    while read -r epoch; do "$0" "$1" $epoch routes </dev/null; echo "$epoch $?"; done`;
  const contained = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--", "sh", "-c", script];
  const words = [
    ...network.enter,
    ...contained,
    process.execPath,
    program,
    JSON.stringify(settings(network.hop)),
  ];
  const container = spawn(words[0] ?? "", words.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: container.stdout })[Symbol.asyncIterator]();
  await until(lines, "policy");
  container.stdin.write("1\n");
  assert.equal((await lines.next()).value, "1 3");
  container.stdin.write("3\n");
  assert.equal((await lines.next()).value, "3 0");
  await assert.rejects(
    run(network.enter[0] ?? "", [...network.enter.slice(1), "curl", "-sS", "http://127.0.0.1:3128/"]),
    {
      code: 7,
    },
  );
  container.kill("SIGKILL");
  await once(container, "exit");
  await network.close();
});

test("mode proxy: programs use the proxy at loopback, and nobody else in the cluster does", {
  skip,
}, async () => {
  const web = createServer((socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nhello")).listen(0, "127.0.0.1");
  await once(web, "listening");
  const { port } = web.address() as AddressInfo;
  const own = await openGateway({
    address: { host: "0.0.0.0", port: 0 },
    tls: { authority: authority.certificate, ...(await signGateway(authority)) },
    grants: async () =>
      new Map([["a", { policy: { mode: "limited", hosts: [`host.example:${port}`] }, revision: 1 }]]),
    allowPrivate: [`host.example:${port}`],
    resolve: async () => ["127.0.0.1"],
  });
  const network = await openPodNetwork();
  const sidecar = startSidecar(network, program, {
    capture: "proxy",
    settings: settings(network.hop, own.port),
  });
  await until(createInterface({ input: sidecar.stdout })[Symbol.asyncIterator](), "policy");
  const curl = (words: string) =>
    run(network.enter[0] ?? "", [...network.enter.slice(1), "curl", "-sS", ...words.split(" ")]);
  const proxy = "--proxy http://127.0.0.1:3128";
  assert.equal((await curl(`${proxy} http://host.example:${port}/`)).stdout, "hello");
  assert.equal((await curl(`${proxy} -o /dev/null -w %{http_code} http://evil.example/`)).stdout, "403");
  await assert.rejects(
    run("curl", ["-sS", "-m", "5", "--proxy", `http://${network.address}:3128`, "http://host.example/"]),
    { code: 7 },
  );
  sidecar.stdin.end();
  assert.deepEqual(await once(sidecar, "exit"), [0, null]);
  await network.close();
  await own.close();
  web.close();
});

test("gateway that nobody can ask about tunnels: they end, and none is opened", { skip }, async () => {
  grants = granted;
  const network = await openPodNetwork();
  const sidecar = startSidecar(network, program, { settings: settings(network.hop) });
  const lines = createInterface({ input: sidecar.stdout })[Symbol.asyncIterator]();
  await until(lines, "policy");
  grants = () => Promise.reject(new Error("the database is away"));
  await until(lines, "lost");
  grants = granted;
  await until(lines, "policy");
  sidecar.stdin.end();
  await network.close();
});

test("name questions without a tunnel: the server has failed, at once", { skip }, async () => {
  const network = await openPodNetwork();
  const sidecar = startSidecar(network, program, { settings: settings(network.hop, 1) });
  const query = `use strict; use IO::Socket::INET; $SIG{ALRM} = sub { print "none"; exit };
    for (1 .. 400) {
      my $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => "127.0.0.1:53") or die;
      $s->send(pack("nnnnnn", 7, 256, 1, 0, 0, 0) . pack("C/aC/a", "host", "example") . pack("Cnn", 0, 1, 1));
      my $in = ""; vec($in, fileno $s, 1) = 1; select($in, undef, undef, 0.05) or next;
      defined $s->recv(my $answer, 512) or select(undef, undef, undef, 0.05), next; my ($id, $flags) = unpack("nn", $answer);
      print $id, " ", $flags & 15; exit;
    }`;
  const { stdout } = await run(network.enter[0] ?? "", [...network.enter.slice(1), "perl", "-e", query]);
  assert.equal(stdout, "7 2");
  sidecar.stdin.end();
  await network.close();
});

/** First bytes of a peer with a certificate, and whether the gateway keeps its tunnel. */
const hello = encodeFrame(0, "H", JSON.stringify({ id: "a", token: "t" }));
const PEERS: Readonly<Record<string, [Buffer, boolean]>> = {
  "a ticket": [hello, true],
  "another first frame": [encodeFrame(0, "O", "{}"), false],
  "a ticket that is no JSON": [encodeFrame(0, "H", "{"), false],
  "a ticket without a token": [encodeFrame(0, "H", JSON.stringify({ id: "a" })), false],
  "a ticket that is too long": [encodeFrame(0, "H", "x".repeat(100_000)), false],
  "a frame that is too long": [
    Buffer.concat([hello, Buffer.from([0, 0, 0, 0, 81, 255, 255, 255, 255])]),
    false,
  ],
  "a stream to no port": [
    Buffer.concat([hello, encodeFrame(1, "O", '{"address":"1.1.1.1","port":0}')]),
    false,
  ],
  "a stream that is open": [
    Buffer.concat([
      hello,
      ...[1, 1].map((stream) => encodeFrame(stream, "O", '{"address":"127.0.0.1","port":3128}')),
    ]),
    false,
  ],
  "more data than are allowed": [
    Buffer.concat([
      hello,
      encodeFrame(1, "O", '{"address":"127.0.0.1","port":3128}'),
      encodeFrame(1, "D", Buffer.alloc(600_000)),
    ]),
    false,
  ],
  "a negative allowance": [
    Buffer.concat([
      hello,
      encodeFrame(1, "O", '{"address":"127.0.0.1","port":3128}'),
      encodeFrame(1, "K", "-5"),
    ]),
    false,
  ],
};

for (const [what, [bytes, isKept]] of Object.entries(PEERS)) {
  test(`peer that sends ${what}: ${isKept ? "is served" : "is disconnected"}`, async () => {
    grants = granted;
    const socket = connectTls({
      ...{ host: "127.0.0.1", port: gateway.port, servername: GATEWAY_NAME, ca: authority.certificate },
      ...{ cert: pair.certificate, key: pair.key },
    });
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.once("secureConnect", () => socket.write(bytes));
    if (!isKept) return void (await Promise.all([closed, socket.resume()]));
    const [chunk] = (await once(socket, "data")) as [Buffer];
    assert.equal(chunk.toString("latin1", 4, 5), "W");
    socket.destroy();
  });
}
