// Subject: the routes of a pod's network, with programs that try to bypass them.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { openPodNetwork, type PodNetwork } from "../../test-support/pod-network.ts";

const skip = process.getuid?.() === 0 ? false : "the network of a pod needs root";

let pod: PodNetwork;
let gateway: Server;
let other: Server;
let datagrams: ReturnType<typeof createSocket>;
const reached: string[] = [];

before(async () => {
  if (skip !== false) return;
  [gateway, other] = await Promise.all([listen("gateway"), listen("other")]);
  datagrams = createSocket("udp4", (message) => reached.push(message.toString()));
  datagrams.bind(portOf(other), "0.0.0.0");
  await once(datagrams, "listening");
  pod = await openPodNetwork();
  assert.deepEqual(
    await dial("plain", "tcp", portOf(other)),
    "connected",
    "without the routes all is reached",
  );
  await pod.capture(pod.hop, portOf(gateway));
});

after(async () => {
  if (skip !== false) return;
  await pod.close();
  for (const server of [gateway, other]) server.close();
  datagrams.close();
});

async function listen(name: string): Promise<Server> {
  const server = createServer((socket) => {
    reached.push(name);
    socket.destroy();
  }).listen(0, "0.0.0.0");
  await once(server, "listening");
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Ways in which a program selects the interface. */
const WAYS = {
  plain: "",
  "bound to the interface": `setsockopt($s, 1, 25, "eth0") or die "bind: $!";`,
  "bound to the interface's address": `bind($s, sockaddr_in(0, inet_aton($own))) or die "bind: $!";`,
  "with the interface for unicast": `setsockopt($s, 0, 50, pack("N", $index)) or die "unicast: $!";`,
  "past the routes": `setsockopt($s, 1, 5, pack("i", 1)) or die "dontroute: $!";`,
};

/** Dials this machine from inside, as a user without capabilities. */
async function dial(way: keyof typeof WAYS, kind: "tcp" | "udp", port: number): Promise<string> {
  const program = `use strict; use Socket; my ($kind, $host, $port, $own) = @ARGV; my $index = 0;
    open(my $f, "<", "/proc/net/dev"); socket(my $any, PF_INET, SOCK_DGRAM, 0);
    my $request = pack("a16 x24", "eth0"); ioctl($any, 0x8933, $request); $index = unpack("x16 l", $request);
    socket(my $s, PF_INET, $kind eq "tcp" ? SOCK_STREAM : SOCK_DGRAM, 0) or die; ${WAYS[way]}
    $SIG{ALRM} = sub { print "silence"; exit }; alarm 2;
    if ($kind eq "udp") { send($s, "udp ${way}", 0, sockaddr_in($port, inet_aton($host))); print "sent"; exit }
    print connect($s, sockaddr_in($port, inet_aton($host))) ? "connected" : "refused";`;
  const user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--"];
  const [command = "", ...words] = [...pod.enter, ...user, "perl", "-e", program];
  const run = await promisify(execFile)(command, [...words, kind, pod.hop, String(port), pod.address]);
  return run.stdout;
}

for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[]) {
  test(`TCP ${way}: reaches the gateway's port or nothing`, { skip }, async () => {
    reached.length = 0;
    assert.notEqual(await dial(way, "tcp", portOf(other)), "connected");
    await dial(way, "tcp", portOf(gateway));
    assert.ok(!reached.includes("other"), reached.join());
  });
}

test("UDP in every way: reaches nothing outside", { skip }, async () => {
  reached.length = 0;
  for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[])
    assert.equal(await dial(way, "udp", portOf(other)), "sent");
  // A datagram that was sent before this one would have arrived by now.
  const own = createSocket("udp4");
  const arrived = once(datagrams, "message");
  own.send("mine", portOf(other), "127.0.0.1");
  await arrived;
  own.close();
  assert.deepEqual(reached, ["mine"]);
});

test("any address: is local, with the address that was dialled", { skip }, async () => {
  const program = `use strict; use IO::Socket::INET; my $server = IO::Socket::INET->new(Listen => 5, LocalAddr => "0.0.0.0", LocalPort => 8443) or die;
    for my $host (qw(1.1.1.1 169.254.169.254 10.0.0.1 198.18.3.4 ${pod?.hop ?? ""})) {
      my $client = IO::Socket::INET->new(PeerAddr => "$host:8443", Timeout => 5) or die "$host: $!"; print $server->accept->sockhost, "\\n" }`;
  const [command = "", ...words] = [...pod.enter, "perl", "-e", program];
  const { stdout } = await promisify(execFile)(command, words);
  assert.deepEqual(stdout.trim().split("\n"), [
    "1.1.1.1",
    "169.254.169.254",
    "10.0.0.1",
    "198.18.3.4",
    pod.hop,
  ]);
});

test("arguments: a name in place of an address, or a pod without a route → one line, and exit status 125", {
  skip,
}, async () => {
  const bare = await openPodNetwork();
  await assert.rejects(bare.capture("egress.example", 1), {
    code: 125,
    stderr: "not an IPv4 address: egress.example\n",
  });
  await promisify(execFile)(bare.enter[0] ?? "", [
    ...bare.enter.slice(1),
    "ip",
    "route",
    "flush",
    "table",
    "main",
  ]);
  await assert.rejects(bare.capture("203.0.113.9", 1), { code: 125, stderr: "no route to 203.0.113.9\n" });
  await bare.close();
});
