// Listens on sockets that this process has inherited bound, and sends them to its parent over the IPC channel of a Node child process.
//
// Last argument: the JSON list that bind-ports.pl writes.
//
// Messages to the parent: for each namespace {kind: "namespace", index, fd}, which the parent opens at /proc/PID/fd, then
// {kind: "tcp" or "udp", index, port} with the socket for each port; at the end {kind: "done"}, or {kind: "failed", message}.
//
// The process then waits to be killed, since the parent must have the descriptors before they close here. It ends by itself when its
// parent is gone, or after ten seconds.
import dgram from "node:dgram";
import net from "node:net";

const MAX_LIFE_MS = 10_000;
const BACKLOG = 511;

process.once("disconnect", () => process.exit());
setTimeout(() => process.exit(1), MAX_LIFE_MS);

function send(message, handle) {
  return new Promise((resolve, reject) => {
    process.send(message, handle, (error) => (error ? reject(error) : resolve()));
  });
}

// A connection that arrives before the parent has the socket waits in the backlog: this process closes its server before it accepts one.
function sendTcp(index, { port, fd }) {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", reject);
    server.listen({ fd, backlog: BACKLOG }, () => {
      send({ kind: "tcp", index, port }, server)
        .then(() => server.close())
        .then(resolve, reject);
    });
  });
}

function sendUdp(index, { port, fd }) {
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket("udp4");
    socket.once("error", reject);
    socket.bind({ fd }, () => send({ kind: "udp", index, port }, socket).then(resolve, reject));
  });
}

try {
  for (const [index, { fd, tcp, udp }] of JSON.parse(process.argv.at(-1)).entries()) {
    await send({ kind: "namespace", index, fd });
    for (const listener of tcp) await sendTcp(index, listener);
    for (const listener of udp) await sendUdp(index, listener);
  }
  await send({ kind: "done" });
} catch (error) {
  process.send({ kind: "failed", message: error.message });
}
