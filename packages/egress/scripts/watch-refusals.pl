# Reports connections and datagrams in network namespaces that the kernel refuses, because nobody listens on the port. Placed after
# system-calls.pl (@berth/linux). It does not affect the traffic: it reads copies of packets from packet sockets.
#
# Argument: a classic BPF program in hexadecimal, which selects the packets that report a refusal (refusal-filter.ts).
#
# It reads commands from standard input, one a line, and ends when standard input does:
#
#   watch ID PATH   watches the network namespace that is open at that path. Prints "ready ID", or "failed ID REASON"
#   forget ID       stops watching
#
# It prints "tcp ID PORT ADDRESS" or "udp ID PORT ADDRESS" for each refusal, with the original destination. An IPv6 address has all of
# its eight parts. UDP-Lite is reported as UDP.
#
# Sandboxes can forge any packet, so a malformed one is skipped, and each namespace has its own rate limit and socket buffer:
# the kernel drops what does not fit, and no namespace can suppress the reports of another.
use strict;

my ($AF_PACKET, $SOCK_DGRAM, $SOL_SOCKET, $SO_RCVBUF, $SO_ATTACH_FILTER) = (17, 2, 1, 8, 26);
my ($ETH_P_ALL, $MSG_DONTWAIT, $CLONE_NEWNET) = (3, 0x40, 0x40000000);
my ($TCP, $UDP, $UDP_LITE) = (6, 17, 136);
my $MAX_PER_SECOND = 32;
my $SOCKET_BYTES = 16_384;
my $PACKET_BYTES = 128;

$| = 1;
my $filter = pack "H*", $ARGV[0];
my $program = pack "S x![P] P", length($filter) / 8, $filter;
open(my $home, "<", "/proc/self/ns/net") or fail("network namespace: $!");

# Returns a socket that gets the refusals in a namespace; undef, with the reason in $!, if it cannot be opened.
sub open_socket {
  my ($path) = @_;
  open(my $namespace, "<", $path) or return undef;
  system_call("setns", fileno $namespace, $CLONE_NEWNET) == 0 or return undef;
  my $socket;
  my $is_open = socket($socket, $AF_PACKET, $SOCK_DGRAM, 0)
    && setsockopt($socket, $SOL_SOCKET, $SO_ATTACH_FILTER, $program)
    && setsockopt($socket, $SOL_SOCKET, $SO_RCVBUF, pack("i", $SOCKET_BYTES))
    && bind($socket, pack("S n i S C2 a8", $AF_PACKET, $ETH_P_ALL, 0, 0, 0, 0, ""));
  my $error = $!;
  call("network namespace", "setns", fileno $home, $CLONE_NEWNET);
  $! = $error;
  return $is_open ? $socket : undef;
}

# Returns the original destination of a refused packet as [protocol, port, address]: the source of a TCP reset, or the destination of
# the datagram that an ICMP message quotes. Returns undef for a malformed packet.
sub original_destination {
  my ($packet) = @_;
  my $is_ipv4 = ord($packet) >> 4 == 4;
  # Offsets in the IP header.
  my ($protocol, $source, $destination, $size) = $is_ipv4 ? (9, 12, 16, 4) : (6, 8, 24, 16);
  my $header_length = sub { $is_ipv4 ? (ord($_[0]) & 15) * 4 : 40 };
  my $result = sub {
    my ($name, $address, $port) = @_;
    return undef if length $address != $size || length $port != 2;
    my $text = $is_ipv4 ? join ".", unpack "C4", $address : join ":", map { sprintf "%x", $_ } unpack "n8", $address;
    return [$name, unpack("n", $port), $text];
  };
  if (ord(substr $packet, $protocol, 1) == $TCP) {
    return $result->("tcp", substr($packet, $source, $size), substr($packet, $header_length->($packet), 2));
  }
  my $quoted = substr $packet, $header_length->($packet) + 8;
  return undef unless grep { ord(substr $quoted, $protocol, 1) == $_ } $UDP, $UDP_LITE;
  return $result->("udp", substr($quoted, $destination, $size), substr($quoted, $header_length->($quoted) + 2, 2));
}

my ($input, $second, %sockets, %reported) = ("", 0);
my %commands = (
  watch => sub {
    my ($id, $path) = @_;
    my $socket = open_socket($path);
    $sockets{$id} = $socket if $socket;
    print $socket ? "ready $id\n" : "failed $id $!\n";
  },
  forget => sub { delete $sockets{$_[0]} },
);

sub report {
  my ($id) = @_;
  while (($reported{$id} // 0) < $MAX_PER_SECOND && defined recv $sockets{$id}, my $packet, $PACKET_BYTES, $MSG_DONTWAIT) {
    $reported{$id}++;
    my $refusal = eval { original_destination($packet) } or next;
    my ($protocol, $port, $address) = @$refusal;
    print "$protocol $id $port $address\n";
  }
}

for (;;) {
  ($second, %reported) = (time) if time != $second;
  my @below_limit = grep { ($reported{$_} // 0) < $MAX_PER_SECOND } keys %sockets;
  my $ready = "";
  vec($ready, $_, 1) = 1 for 0, map { fileno $sockets{$_} } @below_limit;
  select($ready, undef, undef, @below_limit < keys %sockets ? 1 : undef) < 0 and next;
  report($_) for grep { vec $ready, fileno $sockets{$_}, 1 } @below_limit;
  next unless vec $ready, 0, 1;
  sysread(STDIN, $input, 65536, length $input) or exit 0;
  while ($input =~ s/^(\w+) (\d+) ?(.*)\n//) { $commands{$1}->($2, $3) }
}
