# shellcheck shell=bash
# Template of the script that a named bash reads to run one command; see fresh-shell.sh. The numbers of the descriptors are higher than
# those that scripts use; the command does not see them. Longer parts are sourced from files, since a shell reads a pipe byte by byte.
#
# __START__    for the first command of a bash: a line that restores the state of the shell
# __OUT__      path of the command's output
# __END__      the arguments of end-command.sh from $3, the name of the shell
# __STDIN__, __MARK__, __EXPORTS__, __SCRIPT__, __NONCE__
exec 252>__OUT__ 253<__STDIN__
builtin printf '\n' >&252
__START__
builtin ulimit -x __MARK__ 2>/dev/null
__EXPORTS__
builtin eval __SCRIPT__ <&253 >&252 2>&1 252>&- 253<&-
builtin . /run/berth/end-command "$?" __NONCE__ __END__ 2>/dev/null || builtin :
exec 252>&- 253<&-
