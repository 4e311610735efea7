#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rewrites one shader and compares its site table with the text kept beside it. Knows how cases are
# assembled, nothing of SPIR-V.
#
# golden.sh TOOL CASE [--update]
#
# A case is assembly (.spvasm, with "; version: spv1.N") or GLSL (.comp, .vert, .tesc, .tese, .geom,
# .frag, .task, .mesh, .rgen, .rint, .rahit, .rchit, .rmiss, .rcall, with "// glslang: ARGUMENTS");
# "args: ARGUMENTS" in a comment goes to the tool, "needs: EXTENSION" names what only newer compilers
# know (without them exit status 77), "unchecked: WHY" leaves out the validator at the end, "breaks:
# TEXT" is in one of its messages about broken rules, which are as many. The rewritten module must be
# valid (in Vulkan, or where "valid in: ENVIRONMENT" says), the same when made twice, and have the same
# sites wherever logs are. Word offsets of compiled GLSL depend on the compiler's version: they are left
# out.
set -euo pipefail
tool=$1 case=$2 update=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

option() { sed -n "s,^[/;]* *$1: ,,p" "$case" | head -1; }

read -r -a arguments <<<"$(option args)"
case $case in
*.vert) arguments+=(--stage vertex) ;;
*.tesc) arguments+=(--stage tessellation-control) ;;
*.tese) arguments+=(--stage tessellation-evaluation) ;;
*.geom) arguments+=(--stage geometry) ;;
*.frag) arguments+=(--stage fragment) ;;
*.task) arguments+=(--stage task) ;;
*.mesh) arguments+=(--stage mesh) ;;
*.rgen) arguments+=(--stage ray-generation) ;;
*.rint) arguments+=(--stage intersection) ;;
*.rahit) arguments+=(--stage any-hit) ;;
*.rchit) arguments+=(--stage closest-hit) ;;
*.rmiss) arguments+=(--stage miss) ;;
*.rcall) arguments+=(--stage callable) ;;
esac
case $case in
*.spvasm)
	spirv-as --target-env "$(option version)" "$case" -o "$work/in.spv" 2>"$work/log" ||
		{ cat "$work/log"; [[ -z $(option needs) ]] || exit 77; exit 1; }
	;;
*)
	read -r -a compiler <<<"$(option glslang)"
	(cd "$(dirname "$case")" &&
		glslangValidator -V "${compiler[@]}" "$(basename "$case")" -o "$work/in.spv" >"$work/log") ||
		{ cat "$work/log"; [[ -z $(option needs) ]] || exit 77; exit 1; }
	;;
esac

"$tool" "$work/in.spv" -o "$work/out.spv" --sites "${arguments[@]}" >"$work/sites" 2>"$work/messages" ||
	{ cat "$work/messages"; exit 1; }
grep 'breaks a rule' "$work/messages" >"$work/breaks" || true
sed -n 's,^; breaks: ,,p' "$case" >"$work/expected"
while read -r rule; do
	grep -qF "$rule" "$work/breaks" || { echo "not broken: $rule"; cat "$work/breaks"; exit 1; }
done <"$work/expected"
[[ ! -s $work/expected || $(wc -l <"$work/breaks") == $(wc -l <"$work/expected") ]] ||
	{ cat "$work/breaks"; exit 1; }
"$tool" "$work/in.spv" -o "$work/again.spv" "${arguments[@]}" >"$work/again"
cmp "$work/out.spv" "$work/again.spv"
"$tool" "$work/in.spv" -o "$work/spill.spv" --spill --exchange "${arguments[@]}" >"$work/again"
for more in "" --spill --near-blocks; do
	"$tool" "$work/in.spv" -o "$work/based$more.spv" --sites --log-base 0x5a0000000000 $more \
		"${arguments[@]}" >"$work/again"
	[[ $more == --spill ]] || cmp "$work/sites" "$work/again"
done
environment=$(option 'valid in')
for out in out spill based based--spill based--near-blocks; do
	[[ -z $(option unchecked) ]] || break
	spirv-val --target-env "${environment:-vulkan1.3}" --scalar-block-layout --workgroup-scalar-block-layout \
		--allow-localsizeid "$work/$out.spv"
done
[[ $case == *.spvasm ]] || sed -i 's/ at word [0-9]*//' "$work/sites"

if [[ $update == --update ]]; then
	cp "$work/sites" "$case.sites"
else
	diff -u "$case.sites" "$work/sites"
fi
