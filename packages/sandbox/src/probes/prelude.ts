import { isArchitecture, syscallNumbers } from "@berth/linux";
import { quote } from "../scripts/quote.ts";

/** What a probe finds as shell variables, from the stage that was made for it. */
export type ProbeVariables = Readonly<Record<string, string>>;

/** Where probes find things inside, unless a stage tells otherwise. */
export const PLACES = {
  data: "/data",
  scratch: "/tmp",
  upload: "/mnt/session/uploads/probe.txt",
  skills: "/mnt/skills/probe",
} as const;

/**
 * The functions of every probe.
 *
 * - `breach EVIDENCE`: the probe has succeeded; ends it.
 * - `untried WHY`: it cannot be tried here; ends it.
 * - `call NAME ARGUMENT…`: a raw system call; prints `success RESULT` or the error's name. An argument is a number, `buf:BYTES`,
 *   `hex:DIGITS`, or text.
 * - `attempt NAME ARGUMENT…`: the same, and a breach unless it is refused. Its arguments are such that what is not refused
 *   fails or does no harm.
 * - `reads PATH…`, `opens PATH…`, `makes PATH…`: a breach when one can be read, opened for writing (nothing is written), or made.
 * - `ask tcp|tcp6|unix ADDRESS [PORT] [TEXT]`: what a server answers. An address of a unix socket that begins with `@` is abstract.
 * - `mine PATTERN`: whether standard input has the tag of this run after that word.
 */
export function prelude(variables: ProbeVariables): string {
  const lines = Object.entries({ ...PLACES, ...variables }).map(
    ([name, value]) => `${name}=${quote(value)}\n`,
  );
  const numbers = Object.entries(syscallNumbers(isArchitecture(process.arch) ? process.arch : "x64"));
  return `${lines.join("")}export numbers=${quote(numbers.flat().join(" "))}\n${FUNCTIONS}`;
}

const FUNCTIONS = `export BERTH_GIT_CREDENTIALS="\${credentials-}"
said=
breach() { printf 'breach %.200s\\n' "$*" >&9; exit 0; }
untried() { printf 'untried %.200s\\n' "$*" >&9; exit 0; }
call() { perl -e '
use Errno; my ($name, @a) = @ARGV; my %n = split " ", $ENV{numbers};
defined $n{$name} or do { print "absent"; exit };
@a = map { /^-?\\d+$/ ? 0 + $_ : /^0x[0-9a-f]+$/ ? hex : /^buf:(\\d+)$/ ? "\\0" x $1 : /^hex:(.*)$/ ? pack("H*", $1) : "$_\\0" } @a;
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
alarm 2; my ($kind, $address, $port, $text) = @ARGV; $address =~ s/^\\@/\\0/;
my $family = { tcp => AF_INET, tcp6 => AF_INET6, unix => AF_UNIX }->{$kind};
socket(S, $family, SOCK_STREAM, 0) or exit 1;
my $to = $kind eq "unix" ? pack_sockaddr_un($address) : $kind eq "tcp" ? pack_sockaddr_in($port, inet_pton(AF_INET, $address)) : pack_sockaddr_in6($port, inet_pton(AF_INET6, $address));
connect(S, $to) or exit 1; syswrite(S, $text) if defined $text; my $reply = "";
while (length $reply < 4096 && sysread(S, my $part, 4096)) { $reply .= $part } print $reply' -- "$@"; }
mine() { grep -a -q "$1[-]$tag"; }
`;

/** Milliseconds that one probe may take. */
export const PROBE_TIMEOUT_MS = 5000;

/**
 * What runs these probes one after another, with one line for each: its id, `held`, `breach` or `untried`, and what was seen. A
 * probe tells that on a descriptor of its own, and what it tells first counts.
 */
export function probeScript(
  probes: readonly { id: string; how: string }[],
  variables: ProbeVariables,
): string {
  const each = probes.map(({ id, how }) => `probe ${id} ${quote(how)}\n`);
  return `prelude=${quote(prelude(variables))}
probe() {
  answer=$(timeout -s KILL ${PROBE_TIMEOUT_MS / 1000} sh -c "$prelude$2
printf 'held %s\\n' \\"\\$said\\" >&9" 9>&1 >/dev/null 2>&1 </dev/null)
  : "\${answer:=untried it did not end in time}"
  printf 'probe:%s %s\\n' "$1" "\${answer%%
*}"
}
${each.join("")}`;
}
