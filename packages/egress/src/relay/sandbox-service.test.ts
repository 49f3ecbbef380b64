import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { runInside } from "../../test-support/run-inside.ts";
import { createTunnelledEgress } from "../../test-support/tunnelled-egress.ts";
import type { NetworkNamespace } from "../capture/network-namespace.ts";
import { createEgress, type Egress } from "../egress.ts";
import type { EgressDenied } from "../policy/denial-log.ts";
import { EgressError } from "../policy/egress-error.ts";
import type { ServiceAnswer } from "./sandbox-service.ts";

let egress: Egress;
let namespace: NetworkNamespace;
let denied: EgressDenied[] = [];
const log: string[] = [];

before(async () => {
  egress = await createEgress({ poolSize: 1, refused: ["service.invalid"], log: (line) => log.push(line) });
  namespace = await openWith("one");
});
after(() => egress.close());

function openWith(own: string): Promise<NetworkNamespace> {
  const answer = async (path: string): Promise<ServiceAnswer> => {
    if (path === "/fails") throw new Error("the reason");
    return path === "/" ? { status: 200, body: `${own}\n` } : { status: 404, body: "No ä.\n" };
  };
  return egress.open({
    policy: { mode: "limited", hosts: [] },
    services: [{ host: "service.invalid", answer }],
    onDenied: (one) => denied.push(one),
  });
}

const asked = async (words: string) => {
  denied = [];
  const { stdout } = await runInside(namespace, `curl -sS -m 10 -w '%{http_code}' ${words} 2>&1`);
  return stdout;
};

test("service: is answered for its sandbox, though the policy allows no host and refuses its name", async () => {
  assert.equal(await asked("http://service.invalid"), "one\n200");
  assert.equal(await asked("http://SERVICE.invalid/x"), "No ä.\n404");
  assert.equal(await asked("-X POST -d @/etc/passwd http://service.invalid/"), "Only GET is answered.\n405");
  assert.deepEqual(denied, []);
  const other = await openWith("two");
  assert.equal((await runInside(other, "curl -sS http://service.invalid/")).stdout, "two\n");
});

test("service: its failure is logged, and not told inside", async () => {
  assert.equal(await asked("http://service.invalid/fails"), "The service failed.\n500");
  assert.deepEqual(log.slice(-1), ["egress: service.invalid: the reason"]);
});

test("service: is answered by the proxy too, and by the gateway of a tunnel", async (t) => {
  const tunnelled = await createTunnelledEgress();
  t.after(() => tunnelled.close());
  const pod = await tunnelled.open({
    policy: { mode: "limited", hosts: [] },
    services: [{ host: "service.invalid", answer: async (path) => ({ status: 200, body: `pod ${path}\n` }) }],
  });
  const proxied = "--proxy http://127.0.0.1:3128 http://service.invalid";
  assert.equal(await asked(`${proxied}/`), "one\n200");
  assert.match(await asked(`${proxied}:81/`), /403$/);
  for (const words of [`${proxied}/a?b`, "http://service.invalid/a?b"])
    assert.equal((await runInside(pod, `curl -sS -m 10 ${words}`)).stdout, "pod /a?b\n");
});

test("service: TLS, another port, and a name below it lead nowhere", async () => {
  for (const words of ["-k https://service.invalid/", "http://below.service.invalid/"]) {
    assert.match(await asked(words), /(000|403)$/, words);
  }
  assert.match(await asked("http://service.invalid:8080/"), /000$/);
});

test("service: a host that is not a name → EgressError", async () => {
  const services = [{ host: "not a name", answer: async () => ({ status: 200, body: "" }) as const }];
  await assert.rejects(egress.open({ policy: { mode: "limited", hosts: [] }, services }), EgressError);
});
