// Captures the connections of a sandbox whose egress is on another machine, and sends them through a tunnel to the egress gateway, which
// allows or denies each. It runs beside the sandbox, as a separate user without capabilities. Its only secret is a token that is valid for
// this sandbox alone. Either the kernel routes all connections of the sandbox here (capture-routes.pl), or programs use the proxy at
// 127.0.0.1:3128.
//
// usage: node sidecar.js EPOCH routes|proxy
//
// EPOCH is that of the lease: a sidecar with a lower epoch than another in this container ends at once, and a new one ends those before it.
// With `routes` it listens on every address, with `proxy` only on loopback addresses.
//
// Standard input: one line of JSON, {gateway: {host, port}, name, authority, certificate, key, id, token}. Certificates and key are PEM,
// and `name` is the name in the gateway's certificate. The program ends when its standard input does.
//
// Standard output: lines of JSON:
//
//   {"kind":"policy","revision":N}                   that policy is in force, and the sidecar listens on its ports
//   {"kind":"denied","host":…,"port":…,"reason":…}   as the gateway reports it
//   {"kind":"unreached","message":…}                 an attempt to open the tunnel has failed; others follow. Not repeated for the
//                                                    same reason
//   {"kind":"lost"}                                  the tunnel has ended; connections fail until the next "policy"
//   {"kind":"port","port":N,"message":…}             the sidecar cannot listen on this port
//
// Exit status: 0 at the end of standard input, 3 when a newer lease has this sandbox, 4 when the gateway rejects the token.
//
// Both directions of the tunnel carry frames: stream (32 bits), kind (8 bits), length (32 bits), all big endian, then as many bytes.
// Stream 0 is the tunnel itself.
//
//   to the gateway    H json   {id, token}: the first frame
//                     O json   {address, port}: opens a stream for a connection to that address
//                     Q bytes  a DNS query; the answer has the same stream number
//                     P        a sign of life
//   from the gateway  W json   {revision, ports}: the policy, first of all and after each change
//                     N        the token is rejected
//                     V json   a denial
//                     A bytes  the answer to a DNS query; empty if there is none
//                     P        a sign of life
//   in both           D bytes  data of a stream
//                     E        no more data follows
//                     C, R     the connection is closed, or reset
//                     K number allows so many more bytes of data
//
// In each direction of a stream at most WINDOW bytes are in flight, and EXTRA more while few streams are open.
import dgram from "node:dgram";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import net from "node:net";
import tls from "node:tls";

const WINDOW = 65_536;
const EXTRA = 196_608;
const FEW_STREAMS = 16;
const CHUNK = 65_536;
const HEADER = 9;
const DNS_PORT = 53;
const SIGN_MS = 10_000;
const SILENT_MS = 30_000;
const MAX_RETRY_MS = 1_000;
/** Time in which the ports of an earlier sidecar become free after its end. */
const TAKEN_MS = 2_000;
/** The largest number of DNS queries that wait for an answer. Beyond it the oldest is dropped. */
const MAX_QUESTIONS = 1_000;
/** Bytes that wait for the tunnel. Beyond it no connection is read until the tunnel has sent some. */
const MAX_UNSENT = 4_194_304;

const [epoch = "0", capture = "routes"] = process.argv.slice(2);
/** A listener on "::" also gets IPv4. "0.0.0.0" is for machines without IPv6. */
const hosts = capture === "proxy" ? ["127.0.0.1", "::1"] : ["::", "0.0.0.0"];
const servers = new Map();
const streams = new Map();
const questions = new Map();
let [tunnel, last, retryMs, following, fault] = [null, 0, 50, Promise.resolve(), ""];

takeOver();
readLine((settings) => {
  listenForQuestions();
  connect(settings);
});

function tell(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Ends the sidecars before this one, which are other processes of this container with the same program. */
function takeOver() {
  for (const pid of readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && Number(name) !== process.pid,
  )) {
    const words = argumentsOf(pid);
    const at = words.indexOf(process.argv[1]);
    if (at < 1) continue;
    if (Number(words[at + 1]) > Number(epoch)) process.exit(3);
    endProcess(Number(pid));
  }
}

function endProcess(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // That process has ended already.
  }
}

/** Returns the arguments of a process that runs Node; none for another process. */
function argumentsOf(pid) {
  try {
    const isNode = readlinkSync(`/proc/${pid}/exe`) === readlinkSync("/proc/self/exe");
    return isNode ? readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0") : [];
  } catch {
    return [];
  }
}

function readLine(onSettings) {
  let text = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("end", () => process.exit(0));
  process.stdin.on("error", () => process.exit(0));
  process.stdin.on("data", (part) => {
    if (text === null) return;
    text += part;
    if (!text.includes("\n")) return;
    const settings = JSON.parse(text.slice(0, text.indexOf("\n")));
    text = null;
    onSettings(settings);
  });
}

function connect(settings) {
  const { gateway, name, authority, certificate, key, id, token } = settings;
  const socket = tls.connect({
    ...gateway,
    servername: name,
    ca: authority,
    cert: certificate,
    key,
    minVersion: "TLSv1.3",
  });
  const receive = frameReader((stream, kind, body) => take(stream, kind, body));
  const silence = setTimeout(() => socket.destroy(new Error("it is silent")), SILENT_MS);
  const signs = setInterval(() => send(0, "P"), SIGN_MS);
  let [why, isHeard] = ["it closed the connection", false];
  socket.setNoDelay(true);
  socket.on("error", ({ message }) => {
    why = message;
  });
  socket.once("secureConnect", () => {
    tunnel = socket;
    send(0, "H", JSON.stringify({ id, token }));
  });
  socket.on("drain", () => {
    for (const stream of streams.values()) forward(stream);
  });
  socket.on("data", (chunk) => {
    silence.refresh();
    isHeard = true;
    receive(chunk);
  });
  socket.once("close", () => {
    clearTimeout(silence);
    clearInterval(signs);
    lose(socket, isHeard ? null : why);
    setTimeout(() => connect(settings), retryMs);
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  });
}

/** @param why reason why the gateway was never heard; null if it was. */
function lose(socket, why) {
  if (why !== null && why !== fault) tell({ kind: "unreached", message: why });
  fault = why;
  if (tunnel !== socket) return;
  tunnel = null;
  questions.clear();
  for (const { client } of streams.values()) client.resetAndDestroy();
  streams.clear();
  if (why === null) tell({ kind: "lost" });
}

function frameReader(onFrame) {
  let bytes = Buffer.alloc(0);
  return (chunk) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    while (bytes.length >= HEADER) {
      const end = HEADER + bytes.readUInt32BE(5);
      if (bytes.length < end) return;
      const frame = bytes.subarray(0, end);
      bytes = bytes.subarray(end);
      onFrame(frame.readUInt32BE(0), frame.toString("latin1", 4, 5), frame.subarray(HEADER));
    }
  };
}

function send(stream, kind, body = "") {
  if (tunnel === null || tunnel.destroyed) return;
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(HEADER);
  head.writeUInt32BE(stream, 0);
  head.write(kind, 4, "latin1");
  head.writeUInt32BE(bytes.length, 5);
  tunnel.cork();
  tunnel.write(head);
  if (bytes.length > 0) tunnel.write(bytes);
  tunnel.uncork();
}

function take(number, kind, body) {
  if (kind === "N") process.exit(4);
  if (kind === "W") {
    const policy = JSON.parse(body);
    following = following.then(() => follow(policy));
    return;
  }
  if (kind === "V") return tell({ ...JSON.parse(body), kind: "denied" });
  if (kind === "A") return answer(number, body);
  const stream = streams.get(number);
  if (stream === undefined) return;
  const { client } = stream;
  if (kind === "D") write(number, client, body);
  else if (kind === "E") client.end();
  else if (kind === "K") {
    stream.allowed += Number(body);
    forward(stream);
  } else if (kind === "C") client.destroySoon();
  else if (kind === "R") client.resetAndDestroy();
}

/** Applies a policy. It is in force once the sidecar listens on its ports. */
async function follow({ revision, ports }) {
  retryMs = 50;
  const missing = ports.filter((port) => !servers.has(port));
  await Promise.all(missing.map(listen));
  tell({ kind: "policy", revision });
}

async function listen(port) {
  const opened = [];
  const faults = [];
  for (const host of hosts) {
    const [server, fault] = await listenAt(host, port);
    if (fault === null) opened.push(server);
    else faults.push(fault.message);
    if (fault === null && host === "::") break;
  }
  if (opened.length > 0) servers.set(port, opened);
  else tell({ kind: "port", port, message: faults.join(", ") });
}

async function listenAt(host, port) {
  const end = performance.now() + TAKEN_MS;
  for (;;) {
    const server = net.createServer({ allowHalfOpen: true, noDelay: true }, open);
    const fault = await new Promise((resolve) => {
      server.once("error", resolve);
      server.listen({ host, port, backlog: 511 }, () => resolve(null));
    });
    if (fault?.code !== "EADDRINUSE" || performance.now() > end) return [server, fault];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function open(client) {
  client.on("error", () => {});
  const address = (client.localAddress ?? "").replace(/^::ffff:(?=[0-9.]+$)/, "");
  const port = client.localPort;
  if (tunnel === null || address === "" || port === undefined) return client.resetAndDestroy();
  const number = nextNumber();
  const stream = { number, client, allowed: WINDOW };
  streams.set(number, stream);
  send(number, "O", JSON.stringify({ address, port }));
  if (streams.size <= FEW_STREAMS) send(number, "K", String(EXTRA));
  client.on("readable", () => forward(stream));
  client.once("end", () => streams.has(number) && send(number, "E"));
  client.once("close", () => {
    if (streams.delete(number)) send(number, "C");
  });
}

function nextNumber() {
  last = (last % 0xffff_fffe) + 1;
  return last;
}

/** Forwards the client's data to the gateway, as far as the window and the tunnel allow. */
function forward(stream) {
  const { number, client } = stream;
  while (stream.allowed > 0 && tunnel !== null && tunnel.writableLength < MAX_UNSENT) {
    const most = Math.min(stream.allowed, CHUNK, client.readableLength);
    const bytes = client.read(most > 0 ? most : undefined);
    if (bytes === null) return;
    stream.allowed -= bytes.length;
    send(number, "D", bytes);
  }
}

/** Writes data to the client, and then allows the gateway to send as many bytes again. */
function write(number, client, body) {
  if (client.writable) client.write(body, (error) => error || send(number, "K", String(body.length)));
}

function listenForQuestions() {
  const socket = dgram.createSocket("udp4");
  socket.on("message", (message, from) => {
    const respond = (reply) => from.port > 0 && socket.send(reply, from.port, from.address);
    if (tunnel === null) return respond(failed(message));
    const number = nextNumber();
    const [oldest] = questions.keys();
    if (questions.size >= MAX_QUESTIONS) questions.delete(oldest);
    questions.set(number, respond);
    send(number, "Q", message);
  });
  socket.on("error", ({ message }) => tell({ kind: "port", port: DNS_PORT, message }));
  socket.bind({ address: capture === "proxy" ? "127.0.0.1" : "0.0.0.0", port: DNS_PORT });
}

function answer(number, message) {
  const reply = questions.get(number);
  questions.delete(number);
  if (message.length > 0) reply?.(message);
}

/** Returns a DNS response SERVFAIL, so that programs do not wait for another one. */
function failed(message) {
  const reply = Buffer.from(message);
  if (reply.length >= 4) {
    reply[2] |= 0x80;
    reply[3] = (reply[3] & 0xf0) | 2;
  }
  return reply;
}
