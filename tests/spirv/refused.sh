#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# refused.sh TOOL CASE: a module that is left as it is, with the reason in its "; refused: " line.
# Exit status: 77 where the assembler does not know it.
set -u
tool=$1 case=$2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
spirv-as --target-env vulkan1.3 "$case" -o "$folder/in.spv" 2>/dev/null || exit 77
reason=$(sed -n 's/^; refused: //p' "$case")
if message=$("$tool" "$folder/in.spv" -o "$folder/out.spv" 2>&1); then
	echo "$case was not refused"
	exit 1
fi
[[ $message == *"$reason"* ]] || { echo "$message"; exit 1; }
