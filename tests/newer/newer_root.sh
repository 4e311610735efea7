#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tests on a newer Vulkan than this machine's: a root of Debian's unstable release, in which the
# project is built and tested. As root:
#
#   newer_root.sh make ROOT            makes it (some minutes, 3 GiB)
#   newer_root.sh run ROOT [CTEST...]  builds the working tree there and runs ctest
#
# Exit status: ctest's; 77 where ROOT is not there.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)

make_root() {
	local root=$1 mirror
	command -v debootstrap >/dev/null || { echo "newer_root.sh: install debootstrap" >&2; exit 1; }
	mirror=$(apt-cache policy | grep -o 'http[^ ]*debian[^ ]*' | grep -v security | head -n 1)
	debootstrap --variant=minbase --include=ca-certificates,python3 sid "$root" "$mirror"
	# A mirror that stands still is good enough for a test.
	echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99vkrace"
}

run_tests() {
	local root=$1
	shift
	if [[ -z $root || $root == / || ! -x $root/usr/bin/dpkg ]]; then
		echo "skipped: there is no newer Debian at '$root' (tests/newer/newer_root.sh make ROOT)"
		exit 77
	fi
	mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
	mountpoint -q "$root/dev" || mount --rbind /dev "$root/dev"
	mkdir -p "$root/vkrace"
	# What is the same keeps its time, so that only what changed is built.
	rsync -rlpc --delete --exclude=/build --exclude=/.git "$source/" "$root/vkrace/"
	chroot "$root" bash -eo pipefail -c 'cd /vkrace; ./setup --tests
		apt-get install -yqq --no-install-recommends vkmark llama.cpp-tests libggml0-backend-vulkan \
			libgtk-4-bin libsdl3-tests python3-halide python3-numpy piglit mesa-opencl-icd \
			firefox-esr blender mpv qml-qt6 qml6-module-qtquick3d weston \
			libdxvk-native-dev file
		cmake --preset dev >/dev/null
		cmake --build --preset dev -- --quiet; ctest --preset dev --output-on-failure "$@"' \
		bash "$@"
}

case ${1-} in
make) make_root "${2:?ROOT}" ;;
run)
	shift
	run_tests "$@"
	;;
*)
	sed -n 's/^#   \(newer_root.sh\)/usage: \1/p' "$0" >&2
	exit 2
	;;
esac
