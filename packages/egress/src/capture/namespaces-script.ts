import type { Architecture } from "@berth/linux";
import { perlCalls } from "@berth/linux";

const BACKLOG = 511;

/**
 * Perl that makes network namespaces, for a process of root, in each brings the loopback up, makes every address local (those of IPv6
 * where the machine has it) and listens, and becomes the program that its arguments name. Before a `--` they are how many namespaces,
 * the TCP ports and the UDP port; that program's last argument is then JSON: a list, by namespace, of `netFd`, `tcp` (`port`
 * and `fd` each) and `udp`.
 */
export function namespacesScript(architecture: Architecture): string {
  return `${perlCalls(architecture)}
$^F = 100_000;
my ($count, $udp, @tcp) = splice @ARGV, 0, 2;
while ((my $port = shift // "--") ne "--") { push @tcp, $port }

sub up {
  socket(my $any, 2, 2, 0) or fail("socket: $!");
  my $request = pack("a16 s a22", "lo", 0x1, "");
  ioctl($any, 0x8914, $request) or fail("loopback: $!");
}
sub route {
  my ($family, $scope) = @_;
  socket(my $netlink, 16, 3, 0) or fail("netlink: $!");
  my $body = pack("C8 L", $family, 0, 0, 0, 255, 3, $scope, 2, 0) . pack("S2 L", 8, 4, 1);
  send($netlink, pack("L S2 L2", 16 + length $body, 24, 0x605, 1, 0) . $body, 0) or fail("netlink: $!");
  sysread($netlink, my $answer, 4096) or fail("netlink: $!");
  return -unpack("x16 l", $answer);
}
sub listens {
  my ($port) = @_;
  for ([10, pack("S n N a16 N", 10, $port, 0, "", 0)], [2, pack("S n a12", 2, $port, "")]) {
    my ($family, $address) = @$_;
    socket(my $server, $family, 1, 0) or next;
    setsockopt($server, 1, 2, pack("i", 1));
    setsockopt($server, 41, 26, pack("i", 0)) if $family == 10;
    return $server if bind($server, $address) && listen($server, ${BACKLOG});
  }
  fail("port $port: $!");
}
sub receives {
  my ($port) = @_;
  socket(my $socket, 2, 2, 0) or fail("socket: $!");
  bind($socket, pack("S n a12", 2, $port, "")) or fail("port $port: $!");
  return $socket;
}

my (@made, @open);
for (1 .. $count) {
  call("network namespace", $UNSHARE, $NEWNET);
  up();
  my $refused = route(2, 254);
  fail("route: error $refused") if $refused;
  route(10, 0);
  my @servers = map { [$_, listens($_)] } @tcp;
  my $datagrams = receives($udp);
  open(my $own, "<", "/proc/self/ns/net") or fail("network namespace: $!");
  push @open, $own, $datagrams, map { $_->[1] } @servers;
  my $list = join ",", map { sprintf '{"port":%d,"fd":%d}', $_->[0], fileno $_->[1] } @servers;
  push @made, sprintf '{"netFd":%d,"tcp":[%s],"udp":{"port":%d,"fd":%d}}', fileno $own, $list, $udp, fileno $datagrams;
}
exec { $ARGV[0] } @ARGV, "[" . join(",", @made) . "]" or fail("$ARGV[0]: $!");
`;
}
