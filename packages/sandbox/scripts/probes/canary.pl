# Has one object of each kind that a probe may find, each with the text WORD-TAG: its command line, a file, shared memory of both kinds, a
# kernel key. Its sockets send the text to every client. On TERM, INT or HUP it deletes everything and ends.
#
# Arguments: WORD-TAG, a directory, the number of the add_key system call, and optionally "watch" to end when standard input does, too, or
# "fill" to use up, as an ordinary user, all entries of kernel tables that this user and its namespaces can get.
# Output: KEY=VALUE lines, which are variables for the probes, and then "ready".
use Socket qw(:all); use Fcntl;
my ($text, $directory, $add_key, $mode) = @ARGV; my $watch = $mode eq "watch"; my ($word, $tag) = split /-/, $text; umask 0; $| = 1;
my $file = "$directory/$text"; my $key = hex(substr($tag, 0, 7)) + ($word eq "host" ? 1 : 2);
for my $path ($file, "/dev/shm/$text") { open(my $out, ">", $path) or die "$path: $!"; print $out "$text\n"; close $out }
opendir(my $held, $directory);
my $shm = shmget($key, 64, 01666); defined $shm and shmwrite($shm, $text, 0, 64);
{ my ($type, $name, $value) = ("user", $text, $text); syscall($add_key + 0, $type, $name, $value, length $value, -4) }
my @servers;
sub serve { my ($name, $family, $address) = @_;
  my $server; socket($server, $family, SOCK_STREAM, 0) && bind($server, $address) && listen($server, 8) or return;
  push @servers, $server;
  my ($port) = $family == AF_INET ? unpack_sockaddr_in(getsockname $server) : $family == AF_INET6 ? unpack_sockaddr_in6(getsockname $server) : ();
  print "${word}_$name=$port\n" if $port }
serve("port", AF_INET, pack_sockaddr_in(0, INADDR_LOOPBACK));
serve("port6", AF_INET6, pack_sockaddr_in6(0, IN6ADDR_LOOPBACK));
serve("abstract", AF_UNIX, pack_sockaddr_un("\0$text"));
serve("socket", AF_UNIX, pack_sockaddr_un("$file.socket"));
my @taken;
sub number { my ($x86_64, $aarch64) = @_; $add_key == 248 ? $x86_64 : $aarch64 }
sub fill {
  while ((my $instance = syscall(number(294, 26), 0)) >= 0) { push @taken, $instance }
  my $id = pack "l", 0; 1 while syscall(number(222, 107), 1, 0, $id) >= 0;
  my $size = pack "q8", 0, 10, 8192, (0) x 5;
  for (1 .. 64) { my $name = "$text-$_"; syscall(number(240, 180), $name, 0102, 0600, $size) >= 0 or last; push @taken, $name }
  socketpair(my $from, my $to, AF_UNIX, SOCK_STREAM, 0); push @taken, $from, $to;
  my ($data, $control) = ("x", pack "Q i*", 16 + 4 * 253, 1, 1, (0) x 253); my $vector = pack "P Q", $data, 1;
  my $message = pack "Q L x4 P Q P Q i x4", 0, 0, $vector, 1, $control, length $control, 0;
  for (1 .. 200) { syscall(number(46, 211), fileno $from, $message, 0x40) >= 0 or last }
  for (1 .. 256) { pipe(my $from, my $to) or last; push @taken, $from, $to; fcntl($to, 1031, 1 << 20) or last }
  my @ids;
  for (1 .. 40000) { my $one = shmget(0, 1, 01600); defined $one or last; push @{$ids[0]}, $one }
  for (1 .. 40000) { my $one = semget(0, 1, 01600); defined $one or last; push @{$ids[1]}, $one }
  for (1 .. 40000) { my $one = msgget(0, 01600); defined $one or last; push @{$ids[2]}, $one }
  print "${word}_filled=1\n";
  @ids }
my @ids = $mode eq "fill" && $> != 0 ? fill() : ();
sub start_tick { open(my $file, "<", "/proc/self/stat") or return 0; (split " ", <$file> =~ s/.*\) //sr)[19] }
printf "${word}_processes=%d:%s\n${word}_address=%u\n", $$, start_tick(), unpack "Q", pack "P", $text;
print "${word}_key=$key\n${word}_pid=$$\n${word}_directory=$directory\nready\n";
my $ended = 0; $SIG{TERM} = $SIG{INT} = $SIG{HUP} = sub { $ended = 1 }; $SIG{PIPE} = "IGNORE";
until ($ended) {
  my $ready = ""; vec($ready, fileno $_, 1) = 1 for @servers, $watch ? \*STDIN : ();
  select($ready, undef, undef, 60) > 0 or next;
  if ($watch && vec($ready, fileno STDIN, 1)) { sysread(STDIN, my $byte, 1) or last }
  for my $server (@servers) { vec($ready, fileno $server, 1) or next;
    accept(my $client, $server) or next; syswrite $client, "$text\n"; close $client }
}
shmctl($_, 0, 0) for @{$ids[0] // []}; semctl($_, 0, 0, 0) for @{$ids[1] // []}; msgctl($_, 0, 0) for @{$ids[2] // []};
for (grep { !ref && /-/ } @taken) { my $name = $_; syscall(number(241, 181), $name) }
unlink $file, "$file.socket", "/dev/shm/$text"; defined $shm and shmctl($shm, 0, 0);
