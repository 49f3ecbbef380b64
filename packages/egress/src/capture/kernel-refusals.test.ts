import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { runInside } from "../../test-support/run-inside.ts";
import { until } from "../../test-support/until.ts";
import type { NetworkNamespace } from "../capture/network-namespace.ts";
import type { Egress } from "../egress.ts";
import { createEgress } from "../egress.ts";
import type { EgressDenied } from "../policy/denial-log.ts";

const skip = process.getuid?.() === 0 ? false : "without root nobody hears what the kernel refuses";

let egress: Egress;
let namespace: NetworkNamespace;
let neighbour: NetworkNamespace;
let denied: EgressDenied[] = [];
let neighbours: EgressDenied[] = [];

before(async () => {
  egress = await createEgress({ poolSize: 0, resolve: async () => ["127.0.0.1"] });
  const policy = { mode: "limited", hosts: ["host.example", "other.example"] } as const;
  namespace = await egress.open({ policy, onDenied: (one) => denied.push(one) });
  neighbour = await egress.open({ policy, onDenied: (one) => neighbours.push(one) });
  if (skip !== false) return;
  for (const one of [namespace, neighbour]) await stands(one);
});

after(() => egress.close());

beforeEach(() => {
  [denied, neighbours] = [[], []];
});

/** Waits until refusals are reported. */
async function stands(one: NetworkNamespace): Promise<void> {
  const reported = one === namespace ? () => denied : () => neighbours;
  for (let tries = 0; tries < 100 && reported().length === 0; tries += 1) await tcp(one, "203.0.113.255", 1);
  assert.ok(reported().length > 0);
}

async function tcp(one: NetworkNamespace, host: string, port: number): Promise<void> {
  const { code } = await runInside(one, `exec bash -c ': </dev/tcp/${host}/${port}' 2>/dev/null`);
  assert.notEqual(code, 0);
}

async function udp(one: NetworkNamespace, host: string, port: number): Promise<void> {
  await runInside(one, `exec bash -c 'echo hello >/dev/udp/${host}/${port}'`);
}

async function reported(expected: EgressDenied): Promise<void> {
  const key = JSON.stringify(expected);
  await until(
    () => denied.some((one) => JSON.stringify(one) === key),
    () => `${key} is not in ${JSON.stringify(denied)}`,
  );
}

test("TCP to a closed port: refused, and reported by name or address", { skip }, async () => {
  await tcp(namespace, "host.example", 22);
  await reported({ host: "host.example", port: 22, reason: "not_allowed" });
  await tcp(namespace, "203.0.113.7", 5432);
  await reported({ host: "203.0.113.7", port: 5432, reason: "not_allowed" });
  await tcp(namespace, "2001:db8::7", 6379);
  await reported({ host: "2001:db8::7", port: 6379, reason: "not_allowed" });
  assert.deepEqual(neighbours, []);
});

test("datagrams: reported; to an allowed host as an unknown protocol", { skip }, async () => {
  await udp(namespace, "203.0.113.9", 123);
  await reported({ host: "203.0.113.9", port: 123, reason: "not_allowed" });
  await udp(namespace, "2001:db8::9", 443);
  await reported({ host: "2001:db8::9", port: 443, reason: "not_allowed" });
  await udp(namespace, "other.example", 443);
  await reported({ host: "other.example", port: 443, reason: "unknown_protocol" });
});

test("forged packets: later refusals are reported", { skip }, async () => {
  const script = `my ($s, %sent);
    for my $protocol (17, 136) {
      for my $options ("", pack("C3 x37", 7, 39, 4)) {
        for my $size (0, 1, 40000) {
          socket($s, 2, 2, $protocol) or next;
          setsockopt($s, 0, 4, $options) or die "$!" if $options;
          send($s, "x" x $size, 0, pack("S n C4 x8", 2, 9, 203, 0, 113, 77)) // die "$!";
          $sent{$protocol}++;
        }
      }
    }
    socket($s, 10, 2, 17) && setsockopt($s, 41, 59, pack("C2 C2 x4", 0, 0, 1, 4)) or die "$!";
    send($s, "x", 0, pack("S n L H32 L", 10, 9, 0, "20010db8" . "0" x 24, 0)) // die "$!";
    print $sent{17};`;
  const { stdout, stderr } = await runInside(namespace, `exec perl -e '${script}'`);
  assert.deepEqual([stdout, stderr], ["6", ""]);
  await tcp(namespace, "203.0.113.78", 22);
  await reported({ host: "203.0.113.78", port: 22, reason: "not_allowed" });
});

test("loopback: refusals among the sandbox's programs are not reported", { skip }, async () => {
  for (const host of ["127.0.0.1", "127.9.9.9", "::1"]) {
    await tcp(namespace, host, 4000);
    await udp(namespace, host, 4000);
  }
  await tcp(namespace, "203.0.113.11", 4000);
  await reported({ host: "203.0.113.11", port: 4000, reason: "not_allowed" });
  assert.equal(denied.length, 1);
});

test("flood: reported in part, and a neighbour's refusal is reported", { skip }, async () => {
  const flood = `use Socket; for my $n (1 .. 20000) {
    socket(my $s, PF_INET, SOCK_STREAM, 0) or die;
    connect($s, sockaddr_in(1000 + $n % 9000, inet_aton("203.0." . ($n >> 8) . "." . ($n & 255))));
  }`;
  const from = performance.now();
  const running = runInside(namespace, `exec perl -e '${flood}'`);
  await tcp(neighbour, "203.0.113.13", 22);
  await until(
    () => neighbours.length > 0,
    () => "the neighbour is not heard",
  );
  assert.equal((await running).code, 0);
  const seconds = (performance.now() - from) / 1000;
  assert.ok(denied.length > 0 && denied.length <= 32 * (seconds + 2), `${denied.length} in ${seconds} s`);
});

test("close: the namespace is released", { skip }, async () => {
  const before = held();
  const closing = await egress.open({ policy: { mode: "limited", hosts: [] } });
  assert.ok(held() > before);
  await closing.close();
  await until(
    () => held() <= before,
    () => `${held()} descriptors, ${before} before`,
  );
});

test("listener process: ends with the last namespace, and starts with the next", { skip }, async () => {
  const before = children();
  const other = await createEgress({ poolSize: 0 });
  for (const address of ["203.0.113.21", "203.0.113.22"]) {
    const heard: string[] = [];
    const onDenied = ({ host }: EgressDenied) => heard.push(host);
    const one = await other.open({ policy: { mode: "limited", hosts: [] }, onDenied });
    for (let tries = 0; tries < 100 && heard.length === 0; tries += 1) await tcp(one, address, 22);
    assert.equal(heard[0], address);
    assert.equal(children().length, before.length + 1);
    await one.close();
    await until(
      () => children().length === before.length,
      () => `${children()}, ${before} before`,
    );
  }
  await other.close();
});

/** Returns the number of open descriptors of this process and its children. */
function held(): number {
  return ["self", ...children()].reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0);
}

function children(): string[] {
  return readdirSync("/proc/self/task").flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, "latin1").trim().split(" ").filter(Boolean),
  );
}
