#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Debian package, unpacks it, and uses what is in it: check_package.sh CPACK BUILD VERSION.
# Exit status 77 without dpkg-deb.
set -euo pipefail
cpack=$1 build=$2 version=$3
command -v dpkg-deb >/dev/null || { echo "skipped: there is no dpkg-deb"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
	echo "check_package: $*" >&2
	exit 1
}

(cd "$build" && "$cpack" -G DEB -B "$folder" >"$folder/log") || { cat "$folder/log"; exit 1; }
dpkg-deb -x "$folder"/vkrace_*.deb "$folder/root"
[[ $(dpkg-deb -f "$folder"/vkrace_*.deb Version) == "$version" ]] || fail "another version"
[[ $("$folder/root/usr/bin/vkrace" --version) == "vkrace $version" ]] || fail "vkrace does not run"
for file in include/vkrace/annotate.h share/man/man1/vkrace.1 share/doc/vkrace/copyright \
	share/bash-completion/completions/vkrace; do
	test -s "$folder/root/usr/$file" || fail "$file is missing"
done
find "$folder/root" -name 'libVkLayer_vkrace.so' | grep -q . || fail "the layer is missing"
flags=$(PKG_CONFIG_PATH=$folder/root/usr/share/pkgconfig pkg-config --cflags vkrace)
echo '#include <vkrace/annotate.h>' >"$folder/use.c"
# shellcheck disable=SC2086 # several words
"${CC:-cc}" $flags -fsyntax-only "$folder/use.c" || fail "annotate.h is not found with $flags"
