# shellcheck shell=bash
# Template of what a named bash reads to run one command; see fresh-shell.sh. The descriptors are high to stay clear of those
# that scripts number themselves. The command does not see them.
#
# __START__    a line that changes the directory, for the first command of a bash
# __OUT__      path of the command's output
# __STDIN__, __MARK__, __EXPORTS__, __SCRIPT__, __NONCE__
__START__
exec 252>__OUT__ 253<__STDIN__
builtin printf '\n' >&252
builtin ulimit -x __MARK__ 2>/dev/null
__EXPORTS__
builtin eval __SCRIPT__ <&253 >&252 2>&1 252>&- 253<&-
builtin printf '%s %s %s %s' __NONCE__ "$?" "$PWD" __NONCE__ >&252
exec 252>&- 253<&-
