#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records a program and looks for barriers that it does not need: check_lint.sh VKRACE COUNT PROGRAM...
# COUNT of them are expected; without them, judged by `replay --apply`, no race is new.
set -euo pipefail
vkrace=$1 count=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
"$vkrace" run --quiet --exit-code 0 --trace "$folder/trace" -- "$@" || status=$?
((status != 77)) || exit 77
"$vkrace" lint --exit-code 0 --json "$folder/trace" >"$folder/lint.json"
found=$(grep -c '"kind": "remove"' "$folder/lint.json" || true)
"$vkrace" lint --exit-code 0 "$folder/trace"
((found == count)) || { echo "expected $count barriers that are not needed, found $found"; exit 1; }
"$vkrace" replay --brief --apply "$folder/lint.json" "$folder/trace" | tee "$folder/applied"
grep -q "with $count changes\\? .* 0 new" "$folder/applied"
