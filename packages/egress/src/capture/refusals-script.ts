import { type Architecture, encode, perlCalls } from "@berth/linux";
import { refusalFilter } from "./refusal-filter.ts";

/** What one namespace may have told in a second; the kernel drops what does not fit into the socket meanwhile. */
const MOST_A_SECOND = 32;
const SOCKET_BYTES = 16_384;

/**
 * Perl that listens to what the kernel refuses in network namespaces, without a part in it. It reads lines, and ends when there are no more:
 *
 * - `watch ID PATH`: from now on in the namespace that is open at that path. Answers `ready ID`, or `failed ID why`.
 * - `forget ID`: not any more.
 *
 * It says `tcp ID PORT ADDRESS` or `udp ID PORT ADDRESS` for each refusal: where somebody wanted to go. An IPv6 address has all its eight parts.
 * What else a namespace has refused is nobody's: of any packet that it can make up, no other namespace has a loss. UDP-Lite is told as UDP.
 */
export function refusalsScript(architecture: Architecture): string {
  return `${perlCalls(architecture)}
$| = 1;
my $filter = pack "H*", "${encode(refusalFilter).toString("hex")}";
my $program = pack "S x![P] P", length($filter) / 8, $filter;
open(my $home, "<", "/proc/self/ns/net") or fail("network namespace: $!");

sub listener {
  my ($path) = @_;
  open(my $namespace, "<", $path) or return undef;
  syscall($SETNS, fileno $namespace, $NEWNET) == 0 or return undef;
  my $socket;
  my $stands = socket($socket, 17, 2, 0)
    && setsockopt($socket, 1, 26, $program)
    && setsockopt($socket, 1, 8, pack("i", ${SOCKET_BYTES}))
    && bind($socket, pack("S n i S C2 a8", 17, 3, 0, 0, 0, 0, ""));
  my $why = $!;
  call("network namespace", $SETNS, fileno $home, $NEWNET);
  $! = $why;
  return $stands ? $socket : undef;
}
sub refused {
  my ($packet) = @_;
  my $four = ord($packet) >> 4 == 4;
  my ($kind, $source, $target, $size) = $four ? (9, 12, 16, 4) : (6, 8, 24, 16);
  my $head = sub { $four ? (ord($_[0]) & 15) * 4 : 40 };
  my $told = sub {
    my ($protocol, $address, $port) = @_;
    return undef if length $address != $size || length $port != 2;
    my $text = $four ? join ".", unpack "C4", $address : join ":", map { sprintf "%x", $_ } unpack "n8", $address;
    return [$protocol, unpack("n", $port), $text];
  };
  return $told->("tcp", substr($packet, $source, $size), substr($packet, $head->($packet), 2)) if ord(substr $packet, $kind, 1) == 6;
  my $asked = substr $packet, $head->($packet) + 8;
  return $told->("udp", substr($asked, $target, $size), substr($asked, $head->($asked) + 2, 2)) if grep { ord(substr $asked, $kind, 1) == $_ } 17, 136;
  return undef;
}

my ($input, $second, %sockets, %told) = ("", 0);
my %do = (
  watch => sub {
    my ($id, $path) = @_;
    my $socket = listener($path);
    $sockets{$id} = $socket if $socket;
    print $socket ? "ready $id\\n" : "failed $id $!\\n";
  },
  forget => sub { delete $sockets{$_[0]} },
);
for (;;) {
  ($second, %told) = (time) if time != $second;
  my @awake = grep { ($told{$_} // 0) < ${MOST_A_SECOND} } keys %sockets;
  my $ready = "";
  vec($ready, $_, 1) = 1 for 0, map { fileno $sockets{$_} } @awake;
  select($ready, undef, undef, @awake < keys %sockets ? 1 : undef) < 0 and next;
  for my $id (grep { vec $ready, fileno $sockets{$_}, 1 } @awake) {
    while (($told{$id} // 0) < ${MOST_A_SECOND} && defined recv $sockets{$id}, my $packet, 128, 0x40) {
      $told{$id}++;
      my $refusal = eval { refused($packet) } or next;
      my ($protocol, $port, $address) = @$refusal;
      print "$protocol $id $port $address\\n";
    }
  }
  next unless vec $ready, 0, 1;
  sysread(STDIN, $input, 65536, length $input) or exit 0;
  while ($input =~ s/^(\\w+) (\\d+) ?(.*)\\n//) { $do{$1}->($2, $3) }
}
`;
}
