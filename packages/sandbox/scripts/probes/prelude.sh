# shellcheck shell=sh disable=SC2016,SC2034,SC2154 # perl programs; variables that probes read and that prelude.ts sets
# Functions of the escape probes.
#
# breach EVIDENCE      reports that the probe has succeeded, and ends it.
# untried WHY          reports that the probe cannot be tried here, and ends it.
# call NAME ARGUMENT...  makes a system call; prints "success RESULT" or the name of the error. An argument is a number, buf:BYTES,
#                      hex:DIGITS, or text.
# attempt NAME ARGUMENT...  like call; a breach unless the call is denied. The arguments must be such that a call that is not denied fails
#                      or does no harm.
# reads PATH..., opens PATH..., makes PATH...  a breach if a path can be read, opened for writing (nothing is written), or created.
# ask tcp|tcp6|unix ADDRESS [PORT] [TEXT]  prints a server's response. A unix address that begins with @ is abstract.
# mine WORD            succeeds if standard input contains WORD-TAG, with the tag of this run.
# outside PID:START,...  prints the pids of these processes outside the sandbox, without numbers that processes of the sandbox have here.
export BERTH_GIT_CREDENTIALS="${credentials-}"
said=
breach() { printf 'breach %.200s\n' "$*" >&9; exit 0; }
untried() { printf 'untried %.200s\n' "$*" >&9; exit 0; }
call() { perl -e '
use Errno; my ($name, @a) = @ARGV; my %n = split " ", $ENV{numbers};
defined $n{$name} or do { print "absent"; exit };
@a = map { /^-?\d+$/ ? 0 + $_ : /^0x[0-9a-f]+$/ ? hex : /^buf:(\d+)$/ ? "\0" x $1 : /^hex:(.*)$/ ? pack("H*", $1) : "$_\0" } @a;
$! = 0; my $r = syscall($n{$name}, @a); my $e = $! + 0;
exit if $r == 0 && $name eq "clone"; $! = $e;
print $r >= 0 ? "success $r" : ((grep { $!{$_} } sort keys %!)[0] || $e)' -- "$@"; }
attempt() {
  said=$(call "$@")
  case $said in
    EPERM | EACCES | ENOSYS | EAFNOSUPPORT | EPROTONOSUPPORT | ESOCKTNOSUPPORT | absent) ;;
    '') untried "perl is missing" ;;
    *) breach "$1: $said" ;;
  esac
}
reads() {
  for path; do
    if [ ! -e "$path" ]; then said=absent; continue; fi
    [ "$(head -c 16 "$path" | wc -c)" -eq 0 ] || breach "$path can be read"
  done
}
opens() {
  for path; do
    if [ ! -e "$path" ]; then said=absent; continue; fi
    if ( : >>"$path" ); then breach "$path can be written"; fi
  done
}
makes() {
  for path; do
    if ( set -C; : >"$path" ); then rm -f "$path"; breach "$path can be made"; fi
  done
}
ask() { perl -MSocket=:all -e '
alarm 2; my ($kind, $address, $port, $text) = @ARGV; $address =~ s/^\@/\0/;
my $family = { tcp => AF_INET, tcp6 => AF_INET6, unix => AF_UNIX }->{$kind};
socket(S, $family, SOCK_STREAM, 0) or exit 1;
my $to = $kind eq "unix" ? pack_sockaddr_un($address) : $kind eq "tcp" ? pack_sockaddr_in($port, inet_pton(AF_INET, $address)) : pack_sockaddr_in6($port, inet_pton(AF_INET6, $address));
connect(S, $to) or exit 1; syswrite(S, $text) if defined $text; my $reply = "";
while (length $reply < 4096 && sysread(S, my $part, 4096)) { $reply .= $part } print $reply' -- "$@"; }
mine() { grep -a -q "$1[-]$tag"; }
outside() {
  for process in $(printf %s "$1" | tr , ' '); do
    case $(sed 's/.*) //' "/proc/${process%:*}/stat" | cut -d ' ' -f 20) in '' | "${process#*:}") echo "${process%:*}" ;; esac
  done
}
