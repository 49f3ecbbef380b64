# berth-relay: connects standard input and output with a port of this sandbox.
#
# usage: perl -e TEXT PORT
#
# Standard output begins with one byte: "+" connected, "-" nothing listens, "!" anything else. Then follow frames: the length of the data
# (32 bits, big endian), the data, and a newline, so that no part of the output ends as a shell's nonce may begin. A frame without data
# is the end of what the server sends. The end of standard input is the end of what the server gets.
#
# A pipe that "select" calls writable takes PIPE_BUF bytes at once, so a client that reads slowly does not hold up what it sends.
use strict;
use warnings;
use Errno qw(ECONNREFUSED EAGAIN EINTR);
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK);
use Socket qw(:DEFAULT IPPROTO_TCP TCP_NODELAY);

use constant { MOST => 65536, PIPE_BUF => 4096 };

my ($port) = @ARGV;
my ($server, $answer) = connected();
syswrite STDOUT, $answer;
exit 0 if !$server;
fcntl($server, F_SETFL, fcntl($server, F_GETFL, 0) | O_NONBLOCK);
setsockopt($server, IPPROTO_TCP, TCP_NODELAY, 1);
$SIG{PIPE} = "IGNORE";

my ($to_server, $to_client) = ("", "");
my ($client_sends, $server_sends, $is_shut) = (1, 1, 0);
my $fd = fileno $server;
while ($server_sends || length $to_client || !$is_shut) {
  if (!$client_sends && !$is_shut && !length $to_server) {
    shutdown $server, 1;
    $is_shut = 1;
    next;
  }
  my ($reads, $writes) = ("", "");
  vec($reads, 0, 1) = 1 if $client_sends && length($to_server) < MOST;
  vec($reads, $fd, 1) = 1 if $server_sends && length($to_client) < MOST;
  vec($writes, 1, 1) = 1 if length $to_client;
  vec($writes, $fd, 1) = 1 if length $to_server;
  next if select($reads, $writes, undef, undef) < 0;
  if (vec $reads, 0, 1) {
    my $got = sysread STDIN, $to_server, MOST, length $to_server;
    $client_sends = 0 if !$got && !passes();
  }
  if (vec $reads, $fd, 1) {
    my $got = sysread $server, my $data, MOST;
    if ($got) {
      $to_client .= pack("N", $got) . $data . "\n";
    } elsif (defined $got || !passes()) {
      $to_client .= pack("N", 0) . "\n";
      $server_sends = 0;
      # A server that broke off reads nothing more, either.
      ($client_sends, $is_shut, $to_server) = (0, 1, "") if !defined $got;
    }
  }
  if (vec $writes, $fd, 1) {
    my $sent = syswrite $server, $to_server;
    if ($sent) { substr($to_server, 0, $sent) = "" }
    elsif (!passes()) { ($client_sends, $is_shut, $to_server) = (0, 1, "") }
  }
  if (vec $writes, 1, 1) {
    my $sent = syswrite STDOUT, $to_client, PIPE_BUF;
    if ($sent) { substr($to_client, 0, $sent) = "" }
    elsif (!passes()) { exit 0 }
  }
}

# Whether the last failure is none that lasts.
sub passes { return $!{EAGAIN} || $!{EINTR} }

sub connected {
  my $answer = "-";
  for ([PF_INET, inet_aton("127.0.0.1")], [PF_INET6, Socket::inet_pton(AF_INET6, "::1")]) {
    my ($family, $host) = @$_;
    my $address = $family == PF_INET ? pack_sockaddr_in($port, $host) : Socket::pack_sockaddr_in6($port, $host);
    next if !socket my $socket, $family, SOCK_STREAM, 0;
    return ($socket, "+") if connect $socket, $address;
    $answer = "!" if !$!{ECONNREFUSED} && $family == PF_INET;
  }
  return (undef, $answer);
}
