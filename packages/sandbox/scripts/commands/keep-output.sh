# shellcheck shell=sh
# Writes its standard input to a file, or leaves no file when that fails.
#
# OUTPUT_FILE: the path of the file. Its directory is made.
if mkdir -p "${OUTPUT_FILE%/*}" && cat >"$OUTPUT_FILE"; then exit 0; fi
rm -f "$OUTPUT_FILE"
exit 1
