# shellcheck shell=bash disable=SC2218
# Template of the script that a named bash reads to run one command in a copy of itself, while it goes on; see named-shell.sh.
#
# __OUT__, __STDIN__, __MARK__, __EXPORTS__, __SCRIPT__, __NONCE__
#
# The copy is started by a subshell that ends at once, so that process 1 becomes its parent: it is no job of this shell, and does not
# change "wait" and "$!". It begins its output with its pid. It runs the command in a subshell of its own, so that a syntax error,
# "exit" or "set -e" ends only that.
exec 252>__OUT__ 253<__STDIN__
(
  (
    berth_options=$-
    set +aefuET
    builtin ulimit -x __MARK__ 2>/dev/null
    builtin printf '%s\n' "$BASHPID" >&252
    (
      for berth_letter in a E f T u e; do
        if [[ $berth_options == *$berth_letter* ]]; then set -$berth_letter; fi
      done
      builtin unset -v berth_options berth_letter
      __EXPORTS__
      builtin eval __SCRIPT__
    ) <&253 >&252 2>&1 252>&- 253<&-
    builtin printf '%s %s %s %s' __NONCE__ "$?" / __NONCE__ >&252
  ) &
)
exec 252>&- 253<&-
