# shellcheck shell=sh
# Runs a script from standard input in a clone. The script is run from a temporary file, which is deleted.
#
# BERTH_SETUP_TARGET: the path of the clone. It is unset for the script.
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
