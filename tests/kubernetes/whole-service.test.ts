// Tests the service in its roles with pods of a cluster, whose connections go through two gateways: its main
// job, while parts are killed.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { promisify } from "node:util";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import type { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../acceptance/harness/fixtures.ts";
import { type InspectionCounts, inspectProcesses } from "../acceptance/harness/inspect-sandboxes.ts";
import { runBerth } from "../acceptance/harness/run-berth.ts";
import { SecretScanner } from "../acceptance/harness/secret-scanner.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { wholeLog } from "../crash/load.ts";
import { notTodays } from "../effort/effort.ts";
import type { GitHost } from "../git-host/git-host.ts";
import { startGitHostOnDefaultPort } from "../git-host/github-host.ts";
import { killPart, type Part, podProcesses } from "./harness/cluster-parts.ts";
import { findKit, missingForCluster } from "./harness/find-kit.ts";
import { GATEWAY_SETTINGS, Gateways } from "./harness/gateways.ts";
import { InterruptedTurn } from "./harness/interrupted-turn.ts";
import { makeEgressImage } from "./harness/make-egress-image.ts";
import { PodService, printLogOfFailures } from "./harness/pod-service.ts";
import { startTestCluster } from "./harness/test-cluster.ts";

const KIT = findKit();
const SKIP =
  missingForCluster() ?? (KIT?.kind === "cluster" ? "it kills the processes of a cluster of its own" : false);
const PODS = 24;

let cluster: string;
let service: PodService;
let api: Api;
let runner: Berth;
let host: GitHost;
let gateways: Gateways;
/** Called for each request to the git host, before it responds. */
let onRequest: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
/** Functions that run in reverse order, also after a failed start. */
const CLEANUP: (() => unknown)[] = [];

printLogOfFailures(() => service);
before(async () => {
  if (SKIP !== false || KIT?.kind !== "scripts") return;
  const directory = mkdtempSync(join(tmpdir(), "berth-service-"));
  CLEANUP.push(() => rmSync(directory, { recursive: true, force: true }));
  const image = makeEgressImage(join(directory, "image"), KIT.directory);
  const [started, git] = await Promise.all([startTestCluster(), startHost(join(directory, "git")), image]);
  CLEANUP.push(() => started.close());
  cluster = dirname(started.kubeconfig);
  host = git;
  service = await PodService.prepare(started);
  CLEANUP.push(() => service.close());
  gateways = await Gateways.open(service, started, image, CLEANUP);
  service.set({
    ...GATEWAY_SETTINGS,
    hosted_providers: [{ host: host.host, token_env: ["GH_TOKEN"], ca_file: host.caFile }],
    egress_allow_private: host.host,
  });
  api = await service.startApi();
  await gateways.startNext();
  runner = await service.start("runner");
});
after(async () => {
  for (const cleanUp of CLEANUP.reverse()) await cleanUp();
});

async function startHost(dir: string): Promise<GitHost> {
  const intercept = (request: IncomingMessage, response: ServerResponse) => onRequest(request, response);
  const started = await startGitHostOnDefaultPort({ dir, intercept });
  CLEANUP.push(() => started.stop());
  return started;
}

covers(
  ["kubernetes-main-job"],
  "berth run: a private repository over TLS is read, edited, committed, pushed and proposed from a pod that has no credential",
  async () => {
    const scanner = new SecretScanner();
    await host.createRepository({
      org: "acme",
      name: "widget",
      private: true,
      files: { "README.md": "# Widget\n" },
    });
    const token = scanner.add(
      "the repository's token",
      host.createToken({ user: "robot", permissions: "write" }),
    );
    const seen: InspectionCounts = { processes: 0, memory: 0, files: 0 };
    const findings: unknown[] = [];
    // Runs during the push and the pull request, while programs in the pod still have their requests in
    // memory.
    onRequest = ({ method, url = "" }) => {
      if (method !== "POST" || !/git-receive-pack$|graphql$/.test(url)) return false;
      try {
        const counts = inspectProcesses(podProcesses(cluster), scanner);
        for (const key of Object.keys(seen) as (keyof InspectionCounts)[]) seen[key] += counts[key];
      } catch (error) {
        findings.push(error);
      }
      return false;
    };
    const environment = await makeEnvironment(api, { credentials: "proxy" });
    const tokenFile = join(mkdtempSync(join(tmpdir(), "berth-token-")), "token");
    CLEANUP.push(() => rmSync(dirname(tokenFile), { recursive: true }));
    writeFileSync(tokenFile, token, { mode: 0o600 });
    const readme = "/data/widget/README.md";
    const job = [
      { tool: "Read", input: { file_path: readme } },
      { tool: "Edit", input: { file_path: readme, old_string: "# Widget", new_string: "# A better widget" } },
      bash(
        "cd /data/widget && git checkout -q -b better && git commit -qam 'Better' && git push -q origin better",
      ),
      bash("cd /data/widget && gh pr create --fill"),
      bash("curl -sS -m 20 https://elsewhere.example/ || echo refused"),
      bash(
        "env; cat /proc/*/environ | tr '\\0' '\\n'; git -C /data/widget config --list; cat /data/widget/.git/config",
      ),
      { say: "Done." },
    ];
    const { code, said } = await runBerth(
      [
        ...[
          "run",
          JSON.stringify({ steps: job }),
          "--model",
          "rehearsal/steps",
          "--environment",
          environment.id,
        ],
        ...["--repo", `${host.url}/acme/widget`, "--repo-token-file", tokenFile],
      ],
      { BERTH_URL: service.api.url, BERTH_TOKEN: service.api.token ?? "" },
    );
    onRequest = () => false;
    assert.equal(code, 0, said);
    assert.match(said, new RegExp(`${host.url}/acme/widget/pull/1\\b`));
    assert.match(said, /refused[\s\S]*Done\./);
    const [proposal] = host.project("acme", "widget").discussions;
    assert.ok(proposal?.kind === "pull request");
    assert.deepEqual([proposal.title, proposal.author], ["Better", "robot"]);
    assert.equal(proposal.headOid, await host.head("acme", "widget", "better"));
    assert.deepEqual(findings, []);
    assert.ok(seen.processes > 5 && seen.memory > 1 << 20 && seen.files > 10, JSON.stringify(seen));
    const [session] = (await api.ok("GET", "/sessions?limit=1&include_archived=true")).data;
    const log = await wholeLog(api, session.id);
    scanner.check("the log", JSON.stringify(log));
    scanner.check("what berth run prints", said);
    assert.deepEqual(
      log.filter(({ type }) => type === "session.egress_denied").map(({ host: denied }) => denied),
      ["elsewhere.example"],
    );
    await service.parked();
  },
  SKIP,
);

covers(
  ["kubernetes-warm-pods"],
  "a warm pod reaches nothing; of two organizations' sessions that take one each, each reaches its own hosts, and is told what it was denied",
  async () => {
    await runner.kill("SIGTERM");
    runner = await service.start("runner", { BERTH_KUBERNETES_WARM_PODS: "2" });
    const told = async (line: RegExp) => line.test(await (await fetch(`${runner.url}/metrics`)).text());
    await waitUntil(
      () => told(/^berth_warm_sandboxes\S* 2$/m),
      () => "no two warm pods are ready",
    );
    const [pod] = await service.warmPods();
    const uid = pod?.spec?.containers.find(({ name }) => name === "sandbox")?.securityContext?.runAsUser;
    const inside = podProcesses(cluster).find((pid) =>
      readFileSync(`/proc/${pid}/status`, "utf8").includes(`\nUid:\t${uid}\t`),
    );
    const words = ["--target", String(inside), "--net", "curl", "-sS", "-m", "5", "http://1.1.1.1/"];
    await assert.rejects(promisify(execFile)("nsenter", words), /Failed to connect|refused|reset/);
    onRequest = ({ url }, response) => {
      if (url === "/here") response.end("from the host");
      return url === "/here";
    };
    const tried = async (by: Api, allowed: string) => {
      const config = { type: "cloud", networking: { type: "limited", allowed_hosts: [allowed] } };
      const { id: environment_id } = await makeEnvironment(by, { config });
      const { id } = await makeSession(by, { environment_id });
      const fetches = [`${host.url}/here`, "https://elsewhere.example/"];
      const events = await runTurn(
        by,
        id,
        ...fetches.map((url) => bash(`curl -sS -m 20 ${url} || echo refused`)),
      );
      const denied = events.filter(({ type }) => type === "session.egress_denied");
      return { results: toolResults(events), denied: denied.map(({ host: one }) => one) };
    };
    const other = await service.client("bob@example.com", "other");
    const [own, others] = await Promise.all([tried(api, host.host), tried(other, "other.example")]);
    onRequest = () => false;
    assert.equal(own.results[0], "from the host");
    for (const result of [own.results[1], ...others.results]) assert.match(result ?? "", /refused$/m);
    assert.deepEqual([own.denied, others.denied], [["elsewhere.example"], [host.host, "elsewhere.example"]]);
    assert.ok(await told(/^berth_sandbox_open_seconds_count\{(?=.*kind="warm").* 2$/m));
    await service.parked();
    await runner.kill("SIGTERM");
    runner = await service.start("runner");
  },
  SKIP,
);

covers(
  ["kubernetes-gateway-killed"],
  "kill -9 of a gateway: the command's connection is cut, the next one is passed on by another gateway, and the session goes on",
  async () => {
    const begun = Promise.withResolvers<void>();
    onRequest = ({ url }, response) => {
      if (url === "/here") response.end("from the host");
      if (url === "/endless") {
        response.write("begun");
        begun.resolve();
      }
      return url === "/here" || url === "/endless";
    };
    const config = { type: "cloud", networking: { type: "limited", allowed_hosts: [host.host] } };
    const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api, { config })]);
    const session = await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id });
    const fetch = (path: string) => `curl -sS -m 60 ${host.url}/${path}`;
    const sent = await api.ok("POST", `/sessions/${session.id}/events`, {
      events: [
        steps(
          bash(`echo first >>/data/lines; ${fetch("endless")} || echo cut`),
          bash(`for n in $(seq 100); do ${fetch("here")} && break; sleep 0.1; done; cat /data/lines`),
        ),
      ],
    });
    await begun.promise;
    const former = await gateways.startNext();
    await former?.kill();
    const [cut, next] = toolResults(await waitForTurn(api, session.id, sent.data[0].id));
    onRequest = () => false;
    assert.match(cut ?? "", /begun[\s\S]*cut$/);
    assert.match(next ?? "", /from the hostfirst$/);
    await service.parked();
  },
  SKIP,
);

covers(
  ["kubernetes-kubelet-killed"],
  "kill -9 of the kubelet in the middle of turns: the running call is told to be cut off once, all else is done once, and no pod is left",
  async () => await turnsSurvive(["kubelet"]),
  SKIP,
);

covers(
  ["kubernetes-control-plane-killed"],
  "kill -9 of the API server and etcd in the middle of turns: the running call is told to be cut off once, all else is done once, and no pod is left",
  async () => await turnsSurvive(["apiserver", "etcd"]),
  SKIP,
);

/**
 * Asserts that three sessions survive a kill of the parts. One runs a command then, one is just getting its
 * pod, and one begins before the parts are back.
 */
async function turnsSurvive(parts: readonly Part[]): Promise<void> {
  const [running, starting, beginning] = await Promise.all([
    InterruptedTurn.start(api, [cluster]),
    makeSession(api),
    makeSession(api),
  ]);
  const other = async ({ id }: AnyJson) =>
    await runTurn(api, id, bash("echo line >>/data/lines"), bash("cat /data/lines"));
  const turns = [other(starting)];
  await waitUntil(
    async () => (await service.pods(starting.id)).length === 1,
    () => "no pod is being started",
  );
  const back = [];
  for (const part of parts) back.push(await killPart(cluster, part));
  turns.push(other(beginning));
  await running.told();
  for (const startAgain of back.reverse()) startAgain();
  await running.ended();
  for (const events of await Promise.all(turns)) {
    const [line, lines, ...more] = toolResults(events);
    assert.deepEqual([line, lines, more], ["(no output)", "line", []]);
    assert.deepEqual(events.at(-1)?.stop_reason, { type: "end_turn" });
  }
  for (const { id } of [starting, beginning]) assert.equal(await service.lostDisks(id), 0);
  await service.parked();
  assert.ok(!running.runs(cluster), "the command that was cut off has ended");
}

covers(
  ["kubernetes-many-pods"],
  `${PODS} sessions at once, each with a pod: all are answered, and none is left`,
  async () => {
    const sessions = await Promise.all(Array.from({ length: PODS }, () => makeSession(api)));
    const answers = await Promise.all(
      sessions.map(async ({ id }) =>
        toolResults(await runTurn(api, id, bash(`echo ${id} >/data/id; cat /data/id`))),
      ),
    );
    assert.deepEqual(
      answers.flat(),
      sessions.map(({ id }) => id),
    );
    await service.parked();
  },
  SKIP || notTodays("pods", 2, 3),
);
