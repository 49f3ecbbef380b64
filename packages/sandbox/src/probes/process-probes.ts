import { quote } from "../scripts/quote.ts";
import { perlText } from "../scripts/read-script.ts";
import { probeGroup } from "./probe.ts";

/** Text of `rewrite-call.pl`. */
const REWRITE_CALL = perlText("probes/rewrite-call.pl");

/** Starts a process that some system calls need as their target. */
const SIBLING = `sleep 5 9>&- & sibling=$!
trap 'kill -s KILL "$sibling"' EXIT
`;

/** PTRACE_ATTACH and PTRACE_SEIZE. */
const [ATTACH, SEIZE] = ["16", "0x4206"];

/**
 * Returns a script that attaches as a debugger to the processes in a variable. An attached process is stopped
 * until the debugger ends, and is then continued.
 */
const trace = (variable: string) =>
  `[ -n "\${${variable}-}" ] || untried "its pid is not known"
for pid in $(outside "$${variable}"); do for request in ${SEIZE} ${ATTACH}; do
  said=$(call ptrace $request "$pid" 0 0)
  case $said in success*) kill -s CONT "$pid"; breach "process $pid" ;; esac
done; done`;

/**
 * Returns a script that copies the text of the canaries with this system call, between their memory and its
 * own: `process_vm_readv`, or `process_vm_writev`, which changes nothing since the text is the same.
 */
const copyMemory = (call: "process_vm_readv" | "process_vm_writev") =>
  `for word in host neighbour; do
eval "processes=\\\${\${word}_processes-} address=\\\${\${word}_address-}"
for pid in $(outside "$processes"); do
said=$(perl -e 'my %n = split " ", $ENV{numbers}; my ($call, $pid, $address, $word, $tag) = @ARGV; my $text = "$word-$tag"; my $own = $call =~ /write/ ? $text : "." x length $text;
my ($local, $remote) = (pack("P Q", $own, length $own), pack("Q Q", $address, length $own)); my $count = syscall($n{$call}, $pid + 0, $local, 1, $remote, 1, 0);
print $count == length $text && $own eq $text ? "copied" : $!' ${call} "$pid" "$address" "$word" "$tag")
[ "$said" != copied ] || breach "process $pid of the $word"
done; done`;

/**
 * Returns a script that runs an ELF program with this machine code. Its exit status is 42 when the system
 * call was made. A kernel without 32-bit calls does not execute the program (126), or raises a fault at the
 * call (139).
 */
const machineCode = (
  bits: 32 | 64,
  code: string,
) => `[ "$(uname -m)" = x86_64 ] || untried "only x86_64 has it"
file=$scratch/code-$tag
perl -e '
my $code = pack("H*", "${code}"); my $base = 0x400000; my $size = ${bits === 32 ? 84 : 120};
my $type = ${bits === 32 ? '"L"' : '"Q"'};
my $head = "\\x7fELF" . chr(${bits === 32 ? 1 : 2}) . "\\1\\1" . "\\0" x 9 . pack("SSL", 2, ${bits === 32 ? 3 : 62}, 1);
$head .= pack("$type" x 3, $base + $size, ${bits === 32 ? 52 : 64}, 0) . pack("LSSSSSS", 0, ${bits === 32 ? "52, 32" : "64, 56"}, 1, 0, 0, 0);
my $all = $size + length $code;
$head .= ${bits === 32 ? 'pack("L8", 1, 0, $base, $base, $all, $all, 5, 4096)' : 'pack("LLQ6", 1, 5, 0, $base, $base, $all, $all, 4096)'};
print $head, $code' >"$file"
chmod 755 "$file"; "$file"; ended=$?; rm -f "$file"
case $ended in 126 | 139) said=absent ;; *) said="ended with $ended" ;; esac
[ "$ended" -ne 42 ] || breach "the call was made"`;

/** Probes of other processes, and of system calls that bypass the seccomp filter. */
export const PROCESS_PROBES = probeGroup("processes", [
  ["ptrace_host", "attaches as a debugger to a process of the host", "root", trace("host_processes")],
  [
    "ptrace_neighbour",
    "attaches as a debugger to a process of another session",
    "root",
    trace("neighbour_processes"),
  ],
  [
    "ptrace_launcher",
    "attaches as a debugger to the program that started a sandbox",
    "root",
    trace("launcher_processes"),
  ],
  [
    "ptrace_rewrite",
    "changes a system call of its child, as its debugger, into one that is denied",
    "user",
    `said=$(perl -e ${quote(REWRITE_CALL)})
case $said in 1) ;; unchanged | '') untried "the call was not changed" ;; *) breach "unshare: $said" ;; esac`,
  ],
  [
    "ptrace_filter",
    "suspends the seccomp filter of its child as its debugger",
    "root",
    `${SIBLING}said=$(call ptrace ${SEIZE} "$sibling" 0 0x200000); case $said in success*) breach "the filter is suspended" ;; esac`,
  ],
  [
    "memory_read_call",
    "reads the memory of a process outside with process_vm_readv",
    "root",
    copyMemory("process_vm_readv"),
  ],
  [
    "memory_write_call",
    "writes the memory of a process outside with process_vm_writev",
    "root",
    copyMemory("process_vm_writev"),
  ],
  [
    "memory_advice",
    "drops another process's memory with process_madvise",
    "user",
    `attempt process_madvise -1 0 0 4 0`,
  ],
  ["descriptor_theft", "takes a file descriptor from another process", "user", `attempt pidfd_getfd -1 0 0`],
  ["compare_processes", "compares two processes with kcmp", "user", `attempt kcmp $$ $$ 0 0 0`],
  [
    "move_pages",
    "moves memory between NUMA nodes",
    "user",
    `attempt move_pages 0 0 0 0 0 0; attempt migrate_pages 0 0 0 0`,
  ],
  [
    "host_process",
    "sends a signal to a process of the host",
    "root",
    `if tr '\\0' ' ' <"/proc/$host_pid/cmdline" | mine host && kill -0 "$host_pid"; then breach "process $host_pid can be reached"; fi`,
  ],
  [
    "host_process_memory",
    "opens the memory of a process of the host",
    "root",
    `for directory in /proc/[0-9]*; do if mine host <"$directory/comm" || tr '\\0' ' ' <"$directory/cmdline" | mine host; then opens "$directory/mem"; fi; done`,
  ],
  [
    "init_descriptors",
    "writes into the pipes from process 1 to the service",
    "root",
    `for descriptor in 0 1 2; do if [ -e "/proc/1/fd/$descriptor" ] && [ "$(readlink "/proc/1/fd/$descriptor")" != /dev/null ]; then opens "/proc/1/fd/$descriptor"; fi; done`,
  ],
  [
    "init_namespaces",
    "finds a namespace that process 1 has open",
    "root",
    `if ls -l /proc/1/fd | grep -q -E '(net|user|mnt|pid):\\['; then breach "$(ls -l /proc/1/fd | grep -E ':\\[')"; fi`,
  ],
  [
    "inherited_descriptors",
    "finds a file descriptor that it inherited from the service",
    "user",
    `for file in /proc/self/fd/*; do number=\${file##*/}; [ "$number" -le 2 ] || case $(readlink "/proc/$$/fd/$number") in '' | */proc/* | /run/berth/* | pipe:*) ;; *) breach "$number is $(readlink "/proc/$$/fd/$number")" ;; esac; done`,
  ],
  [
    "filter_stays",
    "runs without a seccomp filter",
    "user",
    `if grep -q '^Seccomp:.*0$' /proc/self/status; then breach "no filter is in force"; fi`,
  ],
  [
    "filter_memory_program",
    "leaves the seccomp filter with a program in memory",
    "user",
    `answer=$(perl -MIO::Handle -e 'my $n = ${process.arch === "arm64" ? 279 : 319}; my $name = "probe"; my $fd = syscall($n, $name, 0); exit 1 if $fd < 0; open(my $in, "<:raw", "/bin/grep") or open($in, "<:raw", "/usr/bin/grep") or exit 1; open(my $out, ">&=", $fd); binmode $out; local $/; print {$out} <$in>; $out->flush; exec "/proc/self/fd/$fd", "^Seccomp:", "/proc/self/status"')
case $answer in *0) breach "$answer" ;; esac; said=$answer`,
  ],
  [
    "calls_x32",
    "makes x32 system calls, which filters may miss",
    { never: "few kernels support x32" },
    `[ "$(uname -m)" = x86_64 ] || untried "only x86_64 has it"; said=$(perl -e '$r = syscall(0x40000000 + 39); print $r > 0 ? "success" : 0 + $!'); [ "$said" != success ] || breach "the kernel answered"`,
  ],
  [
    "calls_i386",
    "makes system calls from a 32-bit program",
    "user",
    machineCode(32, "b801000000bb2a000000cd80"),
  ],
  [
    "calls_int80",
    "makes 32-bit system calls from a 64-bit program",
    "user",
    machineCode(64, "b801000000bb2a000000cd80"),
  ],
  [
    "personality",
    "turns off memory protections with personality",
    "user",
    `attempt personality 0x0400000; attempt personality 0x0200000`,
  ],
] as const);
