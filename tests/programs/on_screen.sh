#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# on_screen.sh PROGRAM...: runs it on a screen that nobody sees. Exit status: the program's, also
# where xvfb-run cannot remove its folder behind it, into which the server still writes.
status=$(mktemp) || exit 1
trap 'rm -f "$status"' EXIT
xvfb-run -a -s "-screen 0 640x480x24" sh -c '"$@"; echo $? >"$0"' "$status" "$@"
own=$?
read -r theirs <"$status" || exit "$own"
exit "$theirs"
