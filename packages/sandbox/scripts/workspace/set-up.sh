# shellcheck shell=sh
# Runs a script, which comes on standard input, in a clone. The file that it is run from is deleted.
#
# BERTH_SETUP_TARGET: the path of the clone, in which the script runs. It is unset for the script.
# Exit status: that of the script; 1 when it could not be started.
cd -- "$BERTH_SETUP_TARGET" && unset BERTH_SETUP_TARGET || exit 1
file=$(mktemp /tmp/setup.XXXXXX) && cat >"$file" && chmod 700 "$file" || exit 1
case $(head -c 2 "$file") in
  '#!') "$file" </dev/null ;;
  *) /bin/sh -e "$file" </dev/null ;;
esac
status=$?
rm -f -- "$file"
exit "$status"
