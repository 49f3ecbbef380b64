import type { Architecture } from "@berth/linux";
import { insideCalls } from "./template-calls.ts";

/**
 * Perl that takes a template out of a living sandbox, with what was changed in it. Its arguments: the pids of bwrap and of process
 * 1, the sandbox's uid, the directory of the disk as bwrap's mount namespace shows it, the name of the template's directory below
 * its `overlays`, and its target inside. The target is walked down to as for mounting; what is mounted there goes at once, whoever
 * uses it, and then its directory, with the sandbox's uid and only where it is empty.
 */
export function templateRemovalScript(architecture: Architecture): string {
  return `${insideCalls(architecture)}
my ($bwrap, $init, $uid, $disk, $name, $target) = @ARGV;
my ($place, $inside) = both_of($bwrap, $init);
enter($inside);
my @names = grep { length } split "/", $target;
my $last = pop @names;
my $parent = host_directory("/");
for (@names) {
  $parent = open_at($parent, $_, $DIRECTORY | $PATH, $NO_LINKS);
  fail("the target: $!") if $parent < 0;
}
my $root = open_at($parent, $last, $DIRECTORY, $NO_LINKS);
fail("the target: $!") if $root < 0;
open(my $handle, "<&=", $root) or fail("the target: $!");
chdir $handle or fail("the target: $!");
my $here = ".";
call("the target", $UMOUNT2, $here, 0x2);
chdir "/";
close $handle;
$) = "$uid $uid"; $> = $uid;
syscall($UNLINKAT, $parent, $last, 0x200);
$> = 0; $) = "0 0";
enter($place);
require File::Path;
File::Path::remove_tree("$disk/overlays/$name");
`;
}
