#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a new prefix, runs a racy program under what was installed, by the command
# and by the loader alone, and uninstalls. Knows where a user's files go, nothing of what is in them.
#
# check_install.sh CMAKE SOURCE BUILD PROGRAM ARGUMENTS...
set -euo pipefail
cmake=$1 source=$2 build=$3
shift 3
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
unset VKRACE_COMMAND VK_LAYER_PATH VK_INSTANCE_LAYERS

fail() {
	echo "check_install: $*" >&2
	exit 1
}

"$cmake" --install "$build" --prefix "$prefix/usr" >"$prefix/log"
# What was built must not be needed any more: a copy elsewhere works the same.
mv "$prefix/usr" "$prefix/moved"
test -f "$prefix/moved/include/vkrace/annotate.h" || fail "annotate.h is not installed"

status=0
"$prefix/moved/bin/vkrace" run --json "$prefix/run.json" --quiet -- "$@" || status=$?
[[ $status == 66 ]] || fail "vkrace run ended with $status"
grep -q '"verdict": *"races"' "$prefix/run.json" || fail "vkrace run has found no race"

VK_LAYER_PATH=$prefix/moved/share/vulkan/explicit_layer.d VK_INSTANCE_LAYERS=VK_LAYER_VKRACE_race \
	VKRACE_JSON=$prefix/layer.json VKRACE_QUIET=1 "$@"
grep -q '"verdict": *"races"' "$prefix/layer.json" || fail "the layer alone has found no race"

mv "$prefix/moved" "$prefix/usr"
"$cmake" -DBUILD="$build" -P "$source/cmake/uninstall.cmake" >>"$prefix/log"
[[ -z $(find "$prefix/usr" -type f) ]] || fail "files are left: $(find "$prefix/usr" -type f)"
