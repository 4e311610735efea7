#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records a program and looks for synchronization that it does not need, and for masks that are wider
# than needed: check_lint.sh VKRACE COUNT+NARROWER PROGRAM... So many are expected; with these changes,
# judged by `replay --apply`, no race is new.
set -euo pipefail
vkrace=$1 count=${2%+*} narrower=${2#*+}
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
"$vkrace" run --quiet --exit-code 0 --trace "$folder/trace" -- "$@" || status=$?
((status != 77)) || exit 77
check() {
	found=$(grep -c "\"kind\": \"$1" "$folder/lint.json" || true)
	((found == $2)) || { echo "$1: expected $2, found $found"; exit 1; }
}
for options in "" --narrow; do
	"$vkrace" lint $options --exit-code 0 "$folder/trace"
	"$vkrace" lint $options --exit-code 0 --json "$folder/trace" >"$folder/lint.json"
	check remove "$count"
	wanted=${options:+$narrower}
	check narrow "${wanted:-0}"
	"$vkrace" replay --brief --apply "$folder/lint.json" "$folder/trace" | tee "$folder/applied"
	grep -q "changes\\? .* 0 new" "$folder/applied"
done
