import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AnyJson, Api } from "./api.ts";
import { bash, runTurn, toolResults } from "./fixtures.ts";
import type { PreviewClient } from "./preview-client.ts";

/**
 * A program for sandboxes that serves HTTP, one process for each connection, with nothing but Perl.
 *
 * - `/`: a page. `/missing`: 404. `/login`: two cookies. `/moved`: a redirect to `/` by its own address.
 * - `/head`: the head of the request. `/count`: the number of bytes of the request's body.
 * - `/events`: server-sent events, one for each byte that is written to the pipe `/tmp/events`.
 * - `/socket`: changes the protocol, and returns every byte.
 * - `/large`: 5 MB. `/cut`: a response that breaks off.
 */
const SERVER = String.raw`
use strict; use Socket; $| = 1; $SIG{CHLD} = "IGNORE";
my $port = shift;
socket(my $s, PF_INET, SOCK_STREAM, 0) or die; setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
bind($s, pack_sockaddr_in($port, INADDR_LOOPBACK)) or die "bind: $!"; listen($s, 128) or die;
while (1) {
  accept(my $c, $s) or next;
  next if fork;
  binmode $c; select((select($c), $| = 1)[0]);
  serve($c) while 1;
}
sub serve {
  my ($c) = @_;
  my $head = "";
  while ($head !~ /\r\n\r\n/) { sysread($c, $head, 1, length $head) or exit }
  my ($method, $path) = $head =~ /^(\S+) (\S+)/;
  my ($length) = $head =~ /^content-length: *(\d+)/im;
  my $chunked = $head =~ /^transfer-encoding: *chunked/im;
  my $got = 0;
  if ($chunked) {
    while (1) { my $line = ""; sysread($c, $line, 1, length $line) or exit while $line !~ /\r\n$/; my $n = hex $line; my $left = $n + 2;
      while ($left) { my $r = sysread($c, my $b, $left > 65536 ? 65536 : $left) or exit; $left -= $r } $got += $n; last if !$n }
  } else { my $left = $length || 0; while ($left) { my $r = sysread($c, my $b, $left > 65536 ? 65536 : $left) or exit; $left -= $r; $got += $r } }
  my $say = sub { my ($status, $body, @more) = @_;
    print $c join("\r\n", "HTTP/1.1 $status", "Content-Length: " . length($body), "Content-Type: text/html", @more), "\r\n\r\n", $method eq "HEAD" ? "" : $body };
  if ($path eq "/") { $say->("200 OK", "<title>App</title><h1>Hello from the sandbox</h1>") }
  elsif ($path eq "/head") { $say->("200 OK", $head) }
  elsif ($path eq "/count") { $say->("200 OK", $got) }
  elsif ($path eq "/login") { $say->("200 OK", "in", "Set-Cookie: app=1; Domain=localhost; Path=/", "Set-Cookie: berth-preview=no", "Strict-Transport-Security: max-age=9") }
  elsif ($path eq "/moved") { $say->("302 Found", "", "Location: http://localhost:$port/?a=b") }
  elsif ($path eq "/large") { $say->("200 OK", "x" x 5000000) }
  elsif ($path eq "/cut") { print $c "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"; exit }
  elsif ($path eq "/events") {
    print $c "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: first\n\n";
    open(my $pipe, "+<", "/tmp/events") or exit;
    while (sysread $pipe, my $b, 1) { print $c "data: $b\n\n" }
  }
  elsif ($path eq "/socket") {
    print $c "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Kept: yes\r\n\r\n";
    while (sysread $c, my $b, 65536) { syswrite $c, $b }
    exit;
  }
  else { $say->("404 Not Found", "no such page") }
}`;

/** Has the agent of a session start the program on a port. It listens when this resolves. */
export async function startPortServer(api: Api, session: AnyJson, port: number): Promise<void> {
  const steps = bash(
    `[ -p /tmp/events ] || mkfifo /tmp/events; cat >/tmp/server.pl <<'END'\n${SERVER}\nEND\nperl /tmp/server.pl ${port} >/tmp/server.log 2>&1 &\nuntil (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; do kill -0 $! || { cat /tmp/server.log; exit 1; }; done; echo up`,
  );
  const [said = ""] = toolResults(await runTurn(api, session.id, steps));
  if (!said.startsWith("up")) throw new Error(said);
}

/** Checks that a preview of the program shows each server-sent event once it is written, while the stream goes on. */
export async function checkEventStream(api: Api, session: AnyJson, client: PreviewClient): Promise<void> {
  const events = client.open("/events");
  events.end();
  const [stream] = (await once(events, "response")) as [IncomingMessage];
  assert.equal(String((await once(stream, "data"))[0]), "data: first\n\n");
  const next = once(stream, "data");
  await runTurn(api, session.id, bash("printf 7 >/tmp/events"));
  assert.equal(String((await next)[0]), "data: 7\n\n");
  stream.destroy();
}
