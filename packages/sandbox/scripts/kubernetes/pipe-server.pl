# Runs beside a sandbox, in a container of its own that the agent cannot reach, and lets the service use the sandbox's named pipes
# and uploads over one connection: its standard input and output.
#
# usage: perl pipe-server.pl EPOCH STATE
#
# EPOCH is that of the lease: a server with a lower epoch than the last ends at once, and a new server ends those before it.
# STATE is a directory that only this container writes. It is made if it is missing.
#
# Both directions carry frames: channel (32 bits), kind (8 bits), length (32 bits), all big endian, then as many bytes.
#
#   to here    R path        opens a pipe for reading; its data come back
#              W path        opens a pipe for writing
#              F mode path   begins a file with that octal mode, which appears at its path with "S"
#              V path        asks for a line of "stat" about the file's filesystem, and one about the file
#              U path        removes a file, and directories below the third component that become empty, except those in "directories"
#                            and "common/KIND" there, which sandboxes mount
#              M path        makes a directory; there is no reply
#              N text        stores this text as the description of all files that were placed so far
#              D bytes       data for a W or F
#              S             stores the file of an F
#              C             closes the channel
#              K number      allows so many more bytes of data from here
#              P             asks for a sign of life. It and the E in reply are on channel 0, the server itself
#   from here  D bytes       data of an R
#              E             the pipe has no writer any more; or the file is stored or removed; or the pipe has no reader
#              X text        the channel failed, and is closed
#              K number      allows so many more bytes of data to here
#
# The first frame from here is an E on channel 0: the server is ready. It contains "changed" if a file was placed or removed since the last
# "N", and otherwise "noted" and the text of that, if there is one.
#
# At first each channel may send WINDOW bytes in either direction. So a pipe that nobody reads does not block the others.
use strict;
use warnings;
use Fcntl qw(O_RDONLY O_RDWR O_WRONLY O_CREAT O_EXCL O_NONBLOCK F_GETFL F_SETFL LOCK_EX LOCK_NB :flock);

use constant { WINDOW => 262144, CHUNK => 65536, MAX_FRAME => 1 << 20, MAX_WAITING => 1 << 20, HEADER => 9 };

$SIG{PIPE} = "IGNORE";
my ($epoch, $state) = @ARGV;
take_over();

my (%channels, %by_fd);
my ($received, $sending) = ("", "");
nonblocking(\*STDIN);
nonblocking(\*STDOUT);
send_frame(0, "E", -e "$state/changed" ? "changed" : noted());

for (;;) {
  my ($reads, $writes) = ("", "");
  vec($reads, 0, 1) = 1;
  vec($writes, 1, 1) = 1 if length $sending;
  my $may_read = length($sending) < MAX_WAITING;
  for my $channel (values %channels) {
    my $fd = $channel->{fd};
    vec($reads, $fd, 1) = 1 if $channel->{kind} eq "R" && $channel->{credit} > 0 && $may_read;
    vec($writes, $fd, 1) = 1 if $channel->{kind} eq "W" && length $channel->{waiting};
  }
  next if select($reads, $writes, undef, undef) < 0;
  exit 0 if vec($reads, 0, 1) && !receive();
  for my $fd (keys %by_fd) {
    my $channel = $by_fd{$fd} or next;
    read_pipe($channel) if vec($reads, $fd, 1);
    write_pipe($channel) if $by_fd{$fd} && vec($writes, $fd, 1);
  }
  flush_frames();
}

# Kills the server before this one. If that one has a newer lease, this one ends instead.
sub take_over {
  mkdir $state, 0700;
  open(my $lock, "+>>", "$state/server") or die "no state: $!\n";
  flock($lock, LOCK_EX) or die "no lock: $!\n";
  seek($lock, 0, 0);
  my ($last, $pid) = split / /, (<$lock> // "0 0");
  die "a newer lease holds this sandbox\n" if $last > $epoch;
  if ($pid > 0 && $pid != $$) {
    kill "KILL", $pid;
    select(undef, undef, undef, 0.01) while kill 0, $pid and !is_zombie($pid);
  }
  truncate($lock, 0);
  syswrite($lock, "$epoch $$");
  close($lock);
}

sub is_zombie {
  my ($pid) = @_;
  open(my $stat, "<", "/proc/$pid/stat") or return 1;
  return (<$stat> // "") =~ /\) Z/;
}

# Returns false when the service has closed the connection.
sub receive {
  my $count = sysread(STDIN, $received, CHUNK, length $received);
  return 1 if !defined $count && ($!{EAGAIN} || $!{EINTR});
  return 0 if !$count;
  while (length($received) >= HEADER) {
    my ($number, $kind, $length) = unpack "N a N", $received;
    die "a frame is too long\n" if $length > MAX_FRAME;
    last if length($received) < HEADER + $length;
    my $body = substr $received, HEADER, $length;
    substr($received, 0, HEADER + $length) = "";
    handle($number, $kind, $body);
  }
  return 1;
}

sub handle {
  my ($number, $kind, $body) = @_;
  my $channel = $channels{$number};
  if ($kind =~ /^[RWFUV]$/) { start($number, $kind, $body) }
  elsif ($kind eq "P") { send_frame(0, "E", "") }
  elsif ($kind eq "M") { make_directory($body) }
  elsif ($kind eq "N") { note($body) }
  elsif (!$channel) { }
  elsif ($kind eq "D") { take_data($channel, $body) }
  elsif ($kind eq "S") { store($channel) }
  elsif ($kind eq "C") { discard($channel) }
  elsif ($kind eq "K") { $channel->{credit} += $body }
}

sub start {
  my ($number, $kind, $body) = @_;
  my $channel = { number => $number, kind => $kind, path => $body, credit => WINDOW, waiting => "" };
  note_change() if $kind =~ /^[FU]$/;
  return remove_file($channel) if $kind eq "U";
  return tell_of($channel) if $kind eq "V";
  if ($kind eq "F") {
    @$channel{qw(mode path)} = $body =~ /^(\d+) (.+)\z/s or return failed($channel, "not a path");
    make_parents($channel->{path});
    # On the volume of the target, so that a rename moves it there.
    my ($volume) = $channel->{path} =~ m{^(/[^/]+/[^/]+)/} or return failed($channel, "not a path");
    $channel->{temporary} = "$volume/placing-$number";
    unlink $channel->{temporary};
    sysopen($channel->{handle}, $channel->{temporary}, O_WRONLY | O_CREAT | O_EXCL) or return failed($channel, $!);
  } else {
    my $how = $kind eq "R" ? O_RDONLY : O_RDWR;
    sysopen($channel->{handle}, $body, $how | O_NONBLOCK) or return failed($channel, $!);
  }
  $channel->{fd} = fileno $channel->{handle};
  $channels{$number} = $channel;
  $by_fd{$channel->{fd}} = $channel;
}

sub note_change {
  open(my $note, ">", "$state/changed") or die "no state: $!\n";
  close($note);
}

sub note {
  my ($text) = @_;
  open(my $note, ">", "$state/noted") or die "no state: $!\n";
  print $note $text;
  close($note) or die "no state: $!\n";
  unlink "$state/changed";
}

sub noted {
  open(my $note, "<", "$state/noted") or return "";
  return "noted " . (<$note> // "");
}

# Makes a directory and its parents.
sub make_directory {
  my ($path) = @_;
  note_change();
  make_parents($path);
  mkdir $path, 0755;
}

sub take_data {
  my ($channel, $body) = @_;
  if ($channel->{kind} eq "F") {
    for (my $at = 0; $at < length $body;) {
      my $count = syswrite $channel->{handle}, $body, length($body) - $at, $at;
      return failed($channel, $!) if !defined $count;
      $at += $count;
    }
    return send_frame($channel->{number}, "K", length $body);
  }
  $channel->{waiting} .= $body;
  write_pipe($channel);
}

sub read_pipe {
  my ($channel) = @_;
  my $most = $channel->{credit} < CHUNK ? $channel->{credit} : CHUNK;
  my $count = sysread($channel->{handle}, my ($bytes), $most);
  if ($count) {
    $channel->{credit} -= $count;
    return send_frame($channel->{number}, "D", $bytes);
  }
  return if !defined $count && ($!{EAGAIN} || $!{EINTR});
  ended($channel);
}

sub write_pipe {
  my ($channel) = @_;
  my $count = syswrite $channel->{handle}, $channel->{waiting};
  if (!defined $count) {
    return if $!{EAGAIN} || $!{EINTR};
    return ended($channel);
  }
  substr($channel->{waiting}, 0, $count) = "";
  send_frame($channel->{number}, "K", $count);
}

sub store {
  my ($channel) = @_;
  chmod oct $channel->{mode}, $channel->{temporary};
  rename $channel->{temporary}, $channel->{path} or return failed($channel, $!);
  ended($channel);
}

sub make_parents {
  my ($path) = @_;
  for (my $at = index $path, "/", 1; $at > 0; $at = index $path, "/", $at + 1) {
    mkdir substr($path, 0, $at), 0755;
  }
}

sub remove_file {
  my ($channel) = @_;
  my $path = $channel->{path};
  unlink $path or $!{ENOENT} or $!{ENOTDIR} or $!{EISDIR} or return failed($channel, $!);
  while ($path =~ s{^((?:/[^/]+){4,})/[^/]+\z}{$1}) {
    last if $path =~ m{^/[^/]+/[^/]+/(?:directories|common/[^/]+)/[^/]+\z} || !rmdir $path;
  }
  send_frame($channel->{number}, "E", "");
}

# Sends for the filesystem: blocks, fragment size, free and available blocks, files and free files; for the file: times of birth and last
# change.
sub tell_of {
  my ($channel) = @_;
  for my $words (["-f", "-c", "%b %S %f %a %c %d"], ["-c", "%w|%y"]) {
    open(my $told, "-|", "stat", @$words, "--", $channel->{path}) or return failed($channel, $!);
    my $line = <$told> // "";
    close($told);
    send_frame($channel->{number}, "D", $line);
  }
  send_frame($channel->{number}, "E", "");
}

sub ended {
  my ($channel) = @_;
  send_frame($channel->{number}, "E", "");
  discard($channel);
}

sub failed {
  my ($channel, $why) = @_;
  send_frame($channel->{number}, "X", "$why");
  discard($channel);
}

sub discard {
  my ($channel) = @_;
  unlink $channel->{temporary} if $channel->{temporary};
  delete $channels{$channel->{number}};
  return if !defined $channel->{fd};
  delete $by_fd{$channel->{fd}};
  close $channel->{handle};
}

sub send_frame {
  my ($number, $kind, $body) = @_;
  $sending .= pack("N a N", $number, $kind, length $body) . $body;
}

sub flush_frames {
  return if !length $sending;
  my $count = syswrite STDOUT, $sending;
  if (defined $count) { substr($sending, 0, $count) = "" }
  elsif (!$!{EAGAIN} && !$!{EINTR}) { exit 0 }
}

sub nonblocking {
  my ($handle) = @_;
  fcntl $handle, F_SETFL, fcntl($handle, F_GETFL, 0) | O_NONBLOCK;
}
