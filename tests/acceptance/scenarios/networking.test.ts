import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import type { AnyJson, Json } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults } from "../harness/fixtures.ts";

let requestCount = 0;
const web = createServer((_, response) => {
  requestCount += 1;
  response.end("hello");
}).listen(0, "127.0.0.1");
await once(web, "listening");
after(() => web.close());
const { port } = web.address() as AddressInfo;
const REGISTRY = "registry.npmjs.org";
const { api } = await startBerth({
  settings: { BERTH_EGRESS_ALLOW_PRIVATE: [`allowed.localhost:${port}`, REGISTRY].join() },
});

async function sessionWith(networking: Record<string, Json>): Promise<string> {
  const agent = await makeAgent(api);
  const config = { type: "cloud", networking: { type: "limited", ...networking } };
  const environment = await makeEnvironment(api, { config });
  return (await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id })).id;
}

/** Returns the output of each command. */
async function run(session: string, ...commands: string[]): Promise<string[]> {
  return toolResults(await runTurn(api, session, ...commands.map((command) => bash(command))));
}

/** Returns the session.egress_denied events of a session, each as `host port reason`. */
async function deniedConnections(session: string): Promise<string[]> {
  const { data } = await api.ok("GET", `/sessions/${session}/events?limit=100&types[]=session.egress_denied`);
  return data.map(({ host, port: deniedPort, reason }: AnyJson) => `${host} ${deniedPort} ${reason}`);
}

const ALLOWED_URL = `http://allowed.localhost:${port}/`;
const CURL_PROXY = "curl -sS -m 5 --proxy http://127.0.0.1:3128";

covers(["egress-hosts"], "allowed_hosts: reaches the named host and none with a similar name", async () => {
  const session = await sessionWith({ allowed_hosts: [`allowed.localhost:${port}`] });
  const [direct, tunnelled, sent] = await run(
    session,
    `curl -sS -m 5 ${ALLOWED_URL}`,
    `${CURL_PROXY} -p ${ALLOWED_URL}`,
    `${CURL_PROXY} ${ALLOWED_URL}`,
  );
  for (const text of [direct, tunnelled, sent]) assert.match(text ?? "", /^hello/);
  assert.deepEqual(await deniedConnections(session), []);
  const before = requestCount;
  const others = ["not-allowed.localhost", "allowed.localhost.evil.example", "localhost"];
  const texts = await run(session, ...others.map((host) => `${CURL_PROXY} http://${host}:${port}/`));
  for (const [index, text] of texts.entries()) {
    assert.match(
      text,
      new RegExp(`The networking of this session does not allow ${others[index]}:${port}\\.`),
    );
  }
  assert.equal(requestCount, before);
  assert.deepEqual(
    await deniedConnections(session),
    others.map((host) => `${host} ${port} not_allowed`),
  );
});

covers(
  ["egress-denied"],
  "denied connections: reported with the requested host, port and reason",
  async () => {
    const session = await sessionWith({ allowed_hosts: [`allowed.localhost:${port}`, "*.zone.example"] });
    const raw = (to: string, bytes: string) =>
      `timeout 5 bash -c 'exec 5<>/dev/tcp/${to}; printf "${bytes}" >&5; cat <&5' || true`;
    const before = requestCount;
    const cases: [command: string, expected: string][] = [
      ["curl -m 5 http://evil.example/", "evil.example null not_allowed"],
      ["curl -m 5 http://evil-zone.example/", "evil-zone.example null not_allowed"],
      ["curl -m 5 http://zone.example/", "zone.example null not_allowed"],
      ["curl -m 5 http://a.zone.example.evil.net/", "a.zone.example.evil.net null not_allowed"],
      ["curl -m 5 http://metadata/", "metadata null not_allowed"],
      ["curl -m 5 http://169.254.169.254/", "169.254.169.254 80 not_allowed"],
      ["curl -m 5 http://0x7f.2/", "127.0.0.2 80 not_allowed"],
      ["curl -m 5 http://2130706435/", "127.0.0.3 80 not_allowed"],
      ["curl -m 5 http://[::ffff:127.0.0.4]/", "127.0.0.4 80 not_allowed"],
      ["curl -m 5 http://[fd00:ec2::254]/", "fd00:ec2::254 80 not_allowed"],
      ["curl -m 5 -k https://10.0.0.1/", "10.0.0.1 443 not_allowed"],
      ["curl -m 5 http://a.zone.example@evil-user.example/", "evil-user.example null not_allowed"],
      [`${CURL_PROXY} https://192.168.0.1/`, "192.168.0.1 443 not_allowed"],
      [`${CURL_PROXY} https://127.0.0.1:3128/`, "127.0.0.1 3128 not_allowed"],
      [`${CURL_PROXY} -p http://a.zone.example:22/`, "a.zone.example 22 not_allowed"],
      [raw("127.0.0.1/3128", "CONNECT 0177.1:443 HTTP/1.1\\r\\n\\r\\n"), "0177.1 443 not_allowed"],
      [
        raw("127.0.0.1/3128", "CONNECT b.zone.example:443 HTTP/1.1\\r\\nHost: evil.net:443\\r\\n\\r\\n"),
        "b.zone.example 443 name_mismatch",
      ],
      [
        raw("c.zone.example/80", "GET / HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n"),
        "c.zone.example 80 name_mismatch",
      ],
      [raw("d.zone.example/80", "SSH-2.0-x\\r\\n"), "d.zone.example 80 unknown_protocol"],
      [
        "echo | timeout 5 openssl s_client -noservername -connect e.zone.example:443",
        "e.zone.example 443 no_server_name",
      ],
      [
        "echo | timeout 5 openssl s_client -servername evil.example -connect f.zone.example:443",
        "f.zone.example 443 name_mismatch",
      ],
    ];
    await run(session, ...cases.map(([command]) => `${command} >/dev/null 2>&1; true`));
    assert.deepEqual(
      await deniedConnections(session),
      cases.map(([, expected]) => expected),
    );
    assert.equal(requestCount, before);
  },
);

covers(["egress-ports"], "ports without a rule: connection refused, and reported", async () => {
  const session = await sessionWith({ allowed_hosts: ["*.zone.example"] });
  const expected = [
    "203.0.113.1 22 not_allowed",
    "203.0.113.2 123 not_allowed",
    "a.zone.example 22 not_allowed",
    "b.zone.example 443 unknown_protocol",
  ];
  const script = `refused=0
    for to in tcp/203.0.113.1/22 udp/203.0.113.2/123 tcp/a.zone.example/22 udp/b.zone.example/443 tcp/127.0.0.1/4000; do
      bash -c "echo hello >/dev/$to" 2>&1 | grep -q 'Connection refused' && refused=$((refused + 1))
    done; echo $refused`;
  let reported = new Set<string>();
  for (let tries = 0; tries < 10 && reported.size < expected.length; tries += 1) {
    assert.match((await run(session, script))[0] ?? "", /^3\b/);
    reported = new Set(await deniedConnections(session));
  }
  assert.deepEqual([...reported].sort(), expected);
});

covers(
  ["egress-named-to-agent"],
  "denied hosts: named in the result of the command, so that the agent does not retry them",
  async () => {
    const session = await sessionWith({ allowed_hosts: [`allowed.localhost:${port}`] });
    const many = ["a", "b", "c", "d", "e"].map((name) => `http://${name}.example/`).join(" ");
    const texts = await run(
      session,
      "curl -sS -m 5 http://evil.example/",
      "curl -sS -m 5 http://evil.example/ 2>&1 | tail -1",
      `curl -sS -m 5 ${ALLOWED_URL}`,
      `curl -s -m 5 ${many}`,
      "false",
    );
    const note = (hosts: string) =>
      `[The environment's networking forbids ${hosts}, asked for while this ran. Trying again does not help.]`;
    const [failed, piped, allowed, all, unrelated] = texts.map((text) => `${text}`.split("\n"));
    assert.deepEqual(failed?.slice(-2), [note("evil.example"), "[exit code 6]"]);
    assert.equal(piped?.at(-1), note("evil.example"));
    assert.deepEqual(allowed, ["hello"]);
    assert.ok(all?.includes(note("a.example, b.example, c.example, d.example and 1 more")), `${all}`);
    assert.deepEqual(unrelated, ["[exit code 1]"]);
  },
);

covers(["egress-private"], "private address: denied unless the operator lists the host", async () => {
  const session = await sessionWith({ allowed_hosts: [`other.localhost:${port}`, "localhost"] });
  const before = requestCount;
  await run(session, `curl -sS -m 5 http://other.localhost:${port}/; curl -sS -m 5 http://localhost/; true`);
  assert.equal(requestCount, before);
  assert.deepEqual(await deniedConnections(session), [
    `other.localhost ${port} private_address`,
    "localhost 80 private_address",
  ]);
});

const offline = await fetch(`https://${REGISTRY}/is-number`).then(
  ({ ok }) => (ok ? false : "the npm registry returned an error"),
  () => "the npm registry cannot be reached",
);

covers(
  ["package-managers"],
  "allow_package_managers: npm installs from its registry; denied without it",
  async () => {
    const install =
      "mkdir -p /data/p && cd /data/p && npm install --no-audit --no-fund is-number@7.0.0 2>&1; node -p 'require(\"is-number\")(5)'";
    const closed = await sessionWith({});
    const [refused] = await run(closed, `npm view is-number@7.0.0 version --fetch-retries=0 2>&1`);
    assert.match(refused ?? "", /ENOTFOUND|EAI_AGAIN/);
    assert.deepEqual([...new Set(await deniedConnections(closed))], [`${REGISTRY} null not_allowed`]);
    const open = await sessionWith({ allow_package_managers: true });
    const [version, installed] = await run(open, "npm view is-number@7.0.0 version", install);
    assert.match(version ?? "", /^7\.0\.0$/m);
    assert.match(installed ?? "", /^true$/m);
    await run(open, "curl -m 5 https://evil.example/; true");
    assert.deepEqual(await deniedConnections(open), ["evil.example null not_allowed"]);
  },
  offline,
);
