# shellcheck shell=sh
# Writes its standard input to a file. If that fails, it leaves no file.
#
# OUTPUT_FILE: the path of the file. A missing directory is made.
if mkdir -p "${OUTPUT_FILE%/*}" && cat >"$OUTPUT_FILE"; then exit 0; fi
rm -f "$OUTPUT_FILE"
exit 1
