# shellcheck shell=sh
# Keeps the namespaces of this process: prints a newline, then waits until its standard input ends.
echo
read -r _
