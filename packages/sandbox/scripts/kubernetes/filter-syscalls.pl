# Runs a program under the system call filter for this machine's architecture.
#
# usage: perl filter-syscalls.pl DIRECTORY PROGRAM [ARGUMENT...]
#
# DIRECTORY/filter-x86_64 and DIRECTORY/filter-aarch64 contain the BPF instructions in the kernel's format. The process must have
# no_new_privs set.
use strict;
use warnings;
use POSIX ();

use constant { PR_SET_SECCOMP => 22, SECCOMP_MODE_FILTER => 2, INSTRUCTION_BYTES => 8 };
my %prctl = (x86_64 => 157, aarch64 => 167);

my ($directory, @program) = @ARGV;
my $machine = (POSIX::uname())[4];
my $call = $prctl{$machine} // die "no filter of system calls for $machine\n";
open(my $file, "<:raw", "$directory/filter-$machine") or die "no filter of system calls: $!\n";
my $filter = do { local $/; <$file> };
close($file);
my $program = pack "S x6 P", length($filter) / INSTRUCTION_BYTES, $filter;
syscall($call, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, $program) == 0 or die "the system calls cannot be filtered: $!\n";
exec { $program[0] } @program or die "$program[0]: $!\n";
