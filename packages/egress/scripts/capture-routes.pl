# Makes every connection from a pod's network namespace end inside it, so that the sidecar beside the sandbox captures it. Only connections
# to the egress gateway leave the pod. Runs once, before anything else in the pod, with CAP_NET_ADMIN. Placed after system-calls.pl
# (@berth/linux).
#
# Arguments: the IPv4 address and the TCP port of the gateway.
#
# Afterwards, in the order of the kernel's routing rules:
#
#   TCP to the gateway's address and port     leaves by the pod's interface
#   what a program binds to that interface    goes to a hardware address that nobody has
#   all other TCP, UDP and ICMP               is local: it ends at whoever listens in the pod
#   the next hop, by ARP alone                is known, so that it can find the pod
#
# A connection from outside gets no reply, since replies are local, too. All of IPv6 is local: the pod keeps no IPv6 address. Only
# broadcast and multicast datagrams of programs that bind to the interface leave: they get to the pod's own link, and no further.
#
# Exit status when a step fails: 125, with the reason on standard error.
use strict;

my ($AF_INET, $AF_INET6, $AF_NETLINK, $SOCK_DGRAM, $SOCK_RAW) = (2, 10, 16, 2, 3);
my $SIOCGIFINDEX = 0x8933;
my ($NEWROUTE, $DELROUTE, $NEWRULE, $DELRULE, $NEWNEIGH, $DELADDR) = (24, 25, 32, 33, 28, 21);
# NLM_F_REQUEST and NLM_F_ACK; with NLM_F_CREATE and NLM_F_REPLACE.
my ($CHANGE, $CREATE) = (0x5, 0x505);
my ($UNICAST, $LOCAL, $BROADCAST) = (1, 2, 3);
my ($UNIVERSE, $LINK, $HOST, $ANY_SCOPE) = (0, 253, 254, 255);
# The kernel only uses addresses of its own local table as the source of a reply.
my ($MAIN, $LOCAL_TABLE, $SINK) = (254, 255, 101);
my %PROTOCOLS = (tcp => 6, udp => 17, icmp => 1);
my $LOOPBACK_INDEX = 1;
my $ONLINK = 4;
# A link-local address and a locally administered hardware address that nobody has.
my ($NOBODY, $NO_HARDWARE) = ("169.254.255.254", pack "H*", "02be27000001");

my ($gateway, $port) = @ARGV;
fail("not an IPv4 address: $gateway") unless $gateway =~ /^\d+(\.\d+){3}\z/;
fail("not a port: $port") unless $port =~ /^\d+\z/;

socket(my $netlink, $AF_NETLINK, $SOCK_RAW, 0) or fail("netlink: $!");
my @routes = read_routes();
my ($near) = sort { $b->{length} <=> $a->{length} } grep { contains($_, $gateway) } @routes;
fail("no route to $gateway") unless $near;
my $interface = $near->{interface};
my $index = index_of($interface);
my $hop = $near->{gateway} eq "0.0.0.0" ? $gateway : $near->{gateway};

ask("a neighbour", $NEWNEIGH, $CREATE, pack("C x3 l S C C", $AF_INET, $index, 0x80, 0, 0),
  [1, bytes($NOBODY)], [2, $NO_HARDWARE]);
route($NEWROUTE, $CREATE, $AF_INET, $SINK, $UNICAST, $UNIVERSE, "", [5, bytes($NOBODY)], [4, pack "L", $index]);

route($NEWROUTE, $CREATE, $AF_INET, $MAIN, $UNICAST, $LINK, bytes($hop), [4, pack "L", $index]);
route($NEWROUTE, $CREATE, $AF_INET, $MAIN, $UNICAST, $UNIVERSE, bytes($gateway), [5, bytes($hop)], [4, pack "L", $index])
  if $hop ne $gateway;
# After this the kernel accepts no route with a next hop.
route($NEWROUTE, $CREATE, $AF_INET, $LOCAL_TABLE, $LOCAL, $HOST, "", [4, pack "L", $LOOPBACK_INDEX]);

rule($AF_INET, 10, $MAIN, bytes($gateway), [22, pack "C", $PROTOCOLS{tcp}], [24, pack "S2", $port, $port]);
rule($AF_INET, 20, $SINK, "", [17, "$interface\0"]);
my $priority = 30;
rule($AF_INET, $priority++, $LOCAL_TABLE, "", [22, pack "C", $_]) for sort values %PROTOCOLS;
rule($AF_INET, 40, $MAIN, bytes($hop));
rule($AF_INET, 50, $LOCAL_TABLE, "");
# The kernel's own rule asks the local table before all others.
rule($AF_INET, 0, $LOCAL_TABLE, "", $DELRULE);

for (@routes) {
  next if $_->{length} == 32 && ($_->{address} eq $hop || $_->{address} eq $gateway);
  my $header = pack "C8 L", $AF_INET, $_->{length}, 0, 0, $MAIN, 0, $ANY_SCOPE, 0, 0;
  ask("a route", $DELROUTE, $CHANGE, $header, [1, bytes($_->{address})], [6, pack "L", $_->{metric}]);
}
# Routes to the broadcast addresses of the pod's networks.
for (grep { $_->{length} > 0 && $_->{length} < 31 && $_->{gateway} eq "0.0.0.0" } @routes) {
  my $last = pack "N", unpack("N", bytes($_->{address})) | (1 << 32 - $_->{length}) - 1;
  my $header = pack "C8 L", $AF_INET, 32, 0, 0, $LOCAL_TABLE, 0, $ANY_SCOPE, $BROADCAST, 0;
  ask("a route", $DELROUTE, $CHANGE, $header, [1, $last], [4, pack "L", $index]);
}

# Machines without IPv6 have no such file.
if (open(my $addresses, "<", "/proc/net/if_inet6")) {
  for (<$addresses>) {
    my ($address, $on, $length) = split;
    next if hex $on == $LOOPBACK_INDEX;
    ask("an address", $DELADDR, $CHANGE, pack("C4 L", $AF_INET6, hex $length, 0, 0, hex $on), [1, pack "H*", $address]);
  }
  route($NEWROUTE, $CREATE, $AF_INET6, $LOCAL_TABLE, $LOCAL, $UNIVERSE, "", [4, pack "L", $LOOPBACK_INDEX]);
  rule($AF_INET6, 10, $LOCAL_TABLE, "");
}

# Returns the routes of the main table.
sub read_routes {
  open(my $table, "<", "/proc/net/route") or fail("routes: $!");
  my (undef, @lines) = <$table>;
  return map {
    my ($interface, $address, $gateway, undef, undef, undef, $metric, $mask) = split;
    { interface => $interface, address => text($address), gateway => text($gateway), metric => $metric,
      length => unpack("%32b*", pack "L", hex $mask) };
  } @lines;
}

# Returns the text of an address, from the form in which the kernel prints it there.
sub text { return join ".", unpack "C4", pack "L", hex $_[0] }

sub bytes { return pack "C4", split /\./, $_[0] }

sub contains {
  my ($route, $address) = @_;
  my $bits = $route->{length};
  return unpack("B$bits", bytes($route->{address})) eq unpack("B$bits", bytes($address));
}

sub index_of {
  my ($interface) = @_;
  socket(my $any, $AF_INET, $SOCK_DGRAM, 0) or fail("socket: $!");
  my $request = pack "a16 x24", $interface;
  ioctl($any, $SIOCGIFINDEX, $request) or fail("$interface: $!");
  return unpack "x16 l", $request;
}

sub route {
  my ($type, $flags, $family, $table, $kind, $scope, $to, @attributes) = @_;
  my $header = pack "C8 L", $family, 8 * length $to, 0, 0, $table, 4, $scope, $kind, $table == $SINK ? $ONLINK : 0;
  ask("a route", $type, $flags, $header, ($to eq "" ? () : [1, $to]), @attributes);
}

sub rule {
  my ($family, $priority, $table, $to, @attributes) = @_;
  my ($type, $flags) = (@attributes && !ref $attributes[0]) ? (shift @attributes, $CHANGE) : ($NEWRULE, $CREATE);
  my $header = pack "C8 L", $family, 8 * length $to, 0, 0, $table, 0, 0, 1, 0;
  ask("a rule", $type, $flags, $header, [6, pack "L", $priority], ($to eq "" ? () : [1, $to]), @attributes);
}

# Sends a request with attributes to the kernel, and waits for its acknowledgement.
sub ask {
  my ($what, $type, $flags, $body, @attributes) = @_;
  for (@attributes) {
    my ($kind, $value) = @$_;
    $body .= pack("S2", 4 + length $value, $kind) . $value . "\0" x (-length($value) % 4);
  }
  send($netlink, pack("L S2 L2", 16 + length $body, $type, $flags, 1, 0) . $body, 0) or fail("netlink: $!");
  sysread($netlink, my $response, 4096) or fail("netlink: $!");
  my $error = -unpack("x16 l", $response);
  return if !$error;
  $! = $error;
  fail("$what: $!");
}
