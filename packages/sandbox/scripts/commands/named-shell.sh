# shellcheck shell=bash
# Template of what a named bash reads to run one command; see fresh-shell.sh. The descriptors are high to stay clear of those
# that scripts number themselves. The command does not see them. What reads whole files is in files: a shell reads a pipe byte
# by byte.
#
# __START__    a line that restores the shell, for the first command of a bash
# __OUT__      path of the command's output
# __END__      the name of the shell, and what follows it among the arguments of end-command.sh
# __STDIN__, __MARK__, __EXPORTS__, __SCRIPT__, __NONCE__
exec 252>__OUT__ 253<__STDIN__
builtin printf '\n' >&252
__START__
builtin ulimit -x __MARK__ 2>/dev/null
__EXPORTS__
builtin eval __SCRIPT__ <&253 >&252 2>&1 252>&- 253<&-
builtin . /run/berth/end-command "$?" __NONCE__ __END__ 2>/dev/null || builtin :
exec 252>&- 253<&-
