// Subject: a namespace (network-namespace.ts) whose programs try to exhaust it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { runInside } from "../../test-support/run-inside.ts";
import type { NetworkNamespace } from "../capture/network-namespace.ts";
import type { Egress } from "../egress.ts";
import { createEgress } from "../egress.ts";
import type { EgressDenied } from "../policy/denial-log.ts";

/** The connection limit of one namespace. */
const most = 512;

let web: Server;
let port: number;
let egress: Egress;
let hostile: NetworkNamespace;
let neighbour: NetworkNamespace;
let denied: EgressDenied[] = [];
let connections = 0;
let requests = 0;
let crowded = Promise.withResolvers<void>();

before(async () => {
  web = createServer((_, response) => {
    requests += 1;
    response.end("hello");
  });
  web.on("connection", () => {
    connections += 1;
    if (connections === most) crowded.resolve();
  });
  web.listen(0, "127.0.0.1");
  await once(web, "listening");
  port = (web.address() as AddressInfo).port;
  egress = await createEgress({
    allowPrivate: [`host.example:${port}`],
    resolve: async () => ["127.0.0.1"],
    headTimeoutMs: 3_000,
    poolSize: 0,
  });
  const policy = { mode: "limited", hosts: [`host.example:${port}`, "*.zone.example"] } as const;
  hostile = await egress.open({ policy, onDenied: (one) => denied.push(one) });
  neighbour = await egress.open({ policy });
});

after(async () => {
  await egress.close();
  web.closeAllConnections();
  web.close();
});

beforeEach(() => {
  [denied, connections, requests] = [[], 0, 0];
  crowded = Promise.withResolvers();
});

const descriptors = (): number => readdirSync("/proc/self/fd").length;

async function neighbourIsServed(): Promise<void> {
  assert.equal((await runInside(neighbour, `curl -sS http://host.example:${port}/`)).stdout, "hello");
}

const perl = (program: string): string =>
  `cat >/tmp/p.$$ <<'P'\nuse strict; use Socket; use IO::Socket::INET; $| = 1; $SIG{PIPE} = "IGNORE";\n${program}\nP\nperl /tmp/p.$$; rm /tmp/p.$$`;

test("connection limit: 700 silent tunnels → 512 are open, a neighbour is served, and all are free again after the timeout", async () => {
  const before = descriptors();
  const flood = runInside(
    hostile,
    perl(`
my (@open, $refused);
for (1 .. 700) {
  my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:3128", Timeout => 5) or do { $refused++; next };
  print $s "CONNECT host.example:${port} HTTP/1.1\\r\\n\\r\\n";
  push @open, $s;
}
my $answered = 0;
for my $s (@open) { my $line = <$s>; if (defined $line && $line =~ / 200 /) { $answered++ } else { $refused++ } }
for my $s (@open) { 1 while defined(<$s>) }
print "$answered $refused";`),
  );
  await crowded.promise;
  await neighbourIsServed();
  assert.ok(
    descriptors() - before <= 3 * most + 100,
    `${descriptors() - before} descriptors, the server's included`,
  );
  const { stdout } = await flood;
  assert.equal(stdout, `${most} ${700 - most}`);
  assert.equal((await runInside(hostile, `curl -sS http://host.example:${port}/`)).stdout, "hello");
});

test("request heads: slow, endless or too long → the connection is closed and no host is dialled", async () => {
  const { stdout } = await runInside(
    hostile,
    perl(`
my @open = map { IO::Socket::INET->new(PeerAddr => "host.example:${port}", Timeout => 5) or die } 1 .. 60;
for my $n (0 .. 19) { $open[$n]->send("GET / HTTP/1.1\\r\\nX-Slow: ") }
for my $n (20 .. 39) { $open[$n]->send("GET / HTTP/1.1\\r\\nHost: host.example:${port}\\r\\n" . ("X-Many: y\\r\\n" x 8000)) }
for my $n (40 .. 59) { shutdown($open[$n], 1) }
my $closed = 0;
for my $s (@open) { my $line = <$s>; $closed++ unless defined $line }
print $closed;`),
  );
  assert.equal(stdout, "60");
  assert.equal(requests + connections, 0);
  await neighbourIsServed();
});

test("half-close: a client that ends its side gets the response", async () => {
  const { stdout } = await runInside(
    hostile,
    perl(`
my $s = IO::Socket::INET->new(PeerAddr => "host.example:${port}", Timeout => 5) or die;
print $s "GET / HTTP/1.1\\r\\nHost: host.example:${port}\\r\\n\\r\\n"; $s->flush; shutdown($s, 1);
print scalar(grep { /hello/ } <$s>);`),
  );
  assert.equal(stdout, "1");
});

test("DNS: a flood of queries → a neighbour is served, and so is the namespace afterwards", async () => {
  const flood = runInside(
    hostile,
    perl(`
my $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => "127.0.0.1:53") or die;
for my $n (1 .. 20000) {
  $s->send(pack("nnnnnn", $n & 65535, 256, 1, 0, 0, 0) . pack("C/aC/aC/a", "n$n", "evil", "example") . pack("Cnn", 0, 1, 1));
}
print "sent";`),
  );
  for (let round = 0; round < 5; round += 1) await neighbourIsServed();
  assert.equal((await flood).stdout, "sent");
  assert.ok(denied.length > 0 && denied.length <= 20_000);
  assert.equal((await runInside(hostile, `curl -sS http://host.example:${port}/`)).stdout, "hello");
});

test("DNS: more names than a namespace remembers → all resolve", async () => {
  const { stdout } = await runInside(
    hostile,
    perl(`
my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:53", Timeout => 5) or die;
my $good = 0;
for my $n (1 .. 10500) {
  my $q = pack("nnnnnn", $n & 65535, 256, 1, 0, 0, 0) . pack("C/aC/aC/a", "n$n", "zone", "example") . pack("Cnn", 0, 1, 1);
  $s->syswrite(pack("n/a", $q));
  read($s, my $l, 2) == 2 or die "ended"; read($s, my $r, unpack("n", $l));
  $good++ if (unpack("nnnn", $r))[3] == 1;
}
print $good;`),
  );
  assert.equal(stdout, "10500");
  assert.deepEqual(denied, []);
});

test("DNS over TCP: a client that does not read responses is disconnected", async () => {
  const { stdout } = await runInside(
    hostile,
    perl(`
my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:53", Timeout => 5) or die;
my $q = pack("n/a", pack("nnnnnn", 7, 256, 1, 0, 0, 0) . pack("C/aC/aC/a", "x", "zone", "example") . pack("Cnn", 0, 1, 1));
my $written = 0;
for (1 .. 100000) { my $n = $s->syswrite($q x 100); last unless defined $n; $written += $n }
print $written < 100000 * 100 * length($q) ? "let go" : "served for ever";`),
  );
  assert.equal(stdout, "let go");
  await neighbourIsServed();
});

test("denials: a connection that is reset at once is reported with its destination or not at all", async () => {
  await runInside(
    hostile,
    perl(`
for my $n (1 .. 300) {
  socket(my $s, PF_INET, SOCK_STREAM, 0) or die;
  setsockopt($s, SOL_SOCKET, SO_LINGER, pack("ii", 1, 0));
  connect($s, sockaddr_in(80, inet_aton("10.0.0.1")));
  close $s;
}`),
  );
  await neighbourIsServed();
  for (const { host, port } of denied) assert.deepEqual([host, port], ["10.0.0.1", 80]);
});
