# Binds sockets in network namespaces, then becomes another program, which sends them to its parent. Placed after system-calls.pl
# (@berth/linux).
#
# Arguments: one of the following, then "--", then the program to become with its arguments.
#
#   make COUNT PORT...   makes COUNT network namespaces, prepares each and binds in it. Needs CAP_SYS_ADMIN
#   prepare PORT...      prepares the network namespace that the program runs in, and binds in it
#   bind PORT...         binds in the network namespace that the program runs in
#
# A PORT has the form tcp/443 or udp/53. TCP sockets are bound to IPv6 and IPv4, or only to IPv4 on machines without IPv6. They do not
# listen yet: a connection is refused until the parent can accept it. "prepare" brings the loopback of a namespace up and makes every
# address local, so that all connections end at these sockets.
#
# The program gets one more argument, a JSON list with an element for each namespace. It contains open descriptors:
#
#   {"fd": the namespace, "tcp": [{"port": 443, "fd": the socket}, ...], "udp": [...]}
#
# Exit status when a step fails: 125, with the reason on standard error.
use strict;

# Constants of the kernel, as Perl's Socket module is not part of a minimal Perl.
my ($AF_INET, $AF_INET6, $AF_NETLINK, $SOCK_STREAM, $SOCK_DGRAM, $SOCK_RAW) = (2, 10, 16, 1, 2, 3);
my ($SOL_SOCKET, $SO_REUSEADDR, $IPPROTO_IPV6, $IPV6_V6ONLY) = (1, 2, 41, 26);
my ($SIOCSIFFLAGS, $IFF_UP) = (0x8914, 0x1);
# A route request: RTM_NEWROUTE with NLM_F_REQUEST, NLM_F_ACK, NLM_F_CREATE and NLM_F_EXCL, in the table "local", of type "local".
my ($RTM_NEWROUTE, $ROUTE_FLAGS, $RT_TABLE_LOCAL, $RTPROT_BOOT, $RTN_LOCAL, $RTA_OIF) = (24, 0x605, 255, 3, 2, 4);
my ($SCOPE_UNIVERSE, $SCOPE_HOST) = (0, 254);
my $LOOPBACK_INDEX = 1;
my $CLONE_NEWNET = 0x40000000;
my $ALL_DESCRIPTORS = 100_000;

# Descriptors stay open across exec.
$^F = $ALL_DESCRIPTORS;

sub bring_loopback_up {
  socket(my $any, $AF_INET, $SOCK_DGRAM, 0) or fail("socket: $!");
  my $request = pack("a16 s a22", "lo", $IFF_UP, "");
  ioctl($any, $SIOCSIFFLAGS, $request) or fail("loopback: $!");
}

# ip route add local default dev lo. Returns 0, or the error number.
sub make_all_local {
  my ($family, $scope) = @_;
  socket(my $netlink, $AF_NETLINK, $SOCK_RAW, 0) or fail("netlink: $!");
  my $route = pack("C8 L", $family, 0, 0, 0, $RT_TABLE_LOCAL, $RTPROT_BOOT, $scope, $RTN_LOCAL, 0);
  my $body = $route . pack("S2 L", 8, $RTA_OIF, $LOOPBACK_INDEX);
  send($netlink, pack("L S2 L2", 16 + length $body, $RTM_NEWROUTE, $ROUTE_FLAGS, 1, 0) . $body, 0) or fail("netlink: $!");
  sysread($netlink, my $response, 4096) or fail("netlink: $!");
  return -unpack("x16 l", $response);
}

sub prepare {
  bring_loopback_up();
  my $error = make_all_local($AF_INET, $SCOPE_HOST);
  fail("route: error $error") if $error;
  # Fails on machines without IPv6.
  make_all_local($AF_INET6, $SCOPE_UNIVERSE);
}

sub bind_tcp {
  my ($port) = @_;
  my $any6 = pack("S n N a16 N", $AF_INET6, $port, 0, "", 0);
  my $any4 = pack("S n a12", $AF_INET, $port, "");
  for ([$AF_INET6, $any6], [$AF_INET, $any4]) {
    my ($family, $address) = @$_;
    socket(my $server, $family, $SOCK_STREAM, 0) or next;
    setsockopt($server, $SOL_SOCKET, $SO_REUSEADDR, pack("i", 1));
    setsockopt($server, $IPPROTO_IPV6, $IPV6_V6ONLY, pack("i", 0)) if $family == $AF_INET6;
    return $server if bind($server, $address);
  }
  fail("port $port: $!");
}

sub bind_udp {
  my ($port) = @_;
  socket(my $socket, $AF_INET, $SOCK_DGRAM, 0) or fail("socket: $!");
  bind($socket, pack("S n a12", $AF_INET, $port, "")) or fail("port $port: $!");
  return $socket;
}

# Binds in the current namespace. Returns the JSON element; @open keeps the descriptors open.
my @open;
sub bind_ports {
  my (@ports) = @_;
  open(my $namespace, "<", "/proc/self/ns/net") or fail("network namespace: $!");
  push @open, $namespace;
  my %json = (tcp => [], udp => []);
  for (@ports) {
    my ($protocol, $port) = m{^(tcp|udp)/(\d+)$} or fail("not a port: $_");
    my $socket = $protocol eq "tcp" ? bind_tcp($port) : bind_udp($port);
    push @open, $socket;
    push @{ $json{$protocol} }, sprintf '{"port":%d,"fd":%d}', $port, fileno $socket;
  }
  return sprintf '{"fd":%d,"tcp":[%s],"udp":[%s]}', fileno $namespace, map { join ",", @$_ } @json{qw(tcp udp)};
}

my $task = shift // "";
my $count = $task eq "make" ? shift : 1;
my @ports;
while ((my $port = shift // "--") ne "--") { push @ports, $port }

my @namespaces;
for (1 .. $count) {
  call("network namespace", "unshare", $CLONE_NEWNET) if $task eq "make";
  prepare() if $task ne "bind";
  push @namespaces, bind_ports(@ports);
}
exec { $ARGV[0] } @ARGV, "[" . join(",", @namespaces) . "]" or fail("$ARGV[0]: $!");
