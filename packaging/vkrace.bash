# SPDX-License-Identifier: Apache-2.0
# Completion of the vkrace command for bash.

_vkrace() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} at
	local commands="run replay report merge diff export lint litmus dump cut instrument info help version"
	local filter="--suppressions --only --only-practical --baseline"
	local text="--brief --all-races --max-reports"
	local forms="--json --sarif --junit --html --github --source-root -o"
	for ((at = 1; at < COMP_CWORD; at++)); do
		if [[ ${COMP_WORDS[at]} == -- && ${COMP_WORDS[1]} == run ]]; then
			COMP_WORDS=("${COMP_WORDS[@]:at + 1}")
			((COMP_CWORD -= at + 1))
			((COMP_CWORD)) || COMPREPLY=($(compgen -c -- "$word"))
			((COMP_CWORD)) && COMPREPLY=($(compgen -f -- "$word"))
			return
		fi
	done
	case $before in
	--only)
		COMPREPLY=($(compgen -W "unordered unavailable invisible domain scope reference private free practical" -- "$word"))
		return
		;;
	--host)
		COMPREPLY=($(compgen -W "cheap precise annotated off" -- "$word"))
		return
		;;
	--model)
		COMPREPLY=($(compgen -W "vulkan vulkan-2018 hrf-direct hrf-indirect hrf-opencl" -- "$word"))
		return
		;;
	--source-root)
		COMPREPLY=($(compgen -d -- "$word"))
		return
		;;
	esac
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "$commands" -- "$word"))
		return
	fi
	local options=--help
	case ${COMP_WORDS[1]} in
	run)
		options+=" --trace --cut --keep --json --suppressions --only --only-practical --quiet --exit-code --host --noncoherent"
		options+=" --host-sync --any-image --strict --cost --on-race --with-sources --no-judge --compress --no-compress --baseline --brief --all-races --max-reports"
		options+=" --check --sarif --junit --html --github --source-root --fail-on --write-suppressions"
		options+=" --model --reading --frames --sample --shader --not-shader --label --stop-after --threads"
		options+=" --budget --paused --toggle-signal"
		;;
	replay)
		options+=" --json --quiet --exit-code --any-image --strict --cost --check --apply --model --reading --compare --jobs --shard --no-repeats"
		options+=" $filter $text --frames --sample --shader --not-shader --label --stop-after --threads"
		;;
	report | merge) options+=" $forms $filter $text" ;;
	diff) options+=" --json --quiet --exit-code --suppressions --only --only-practical" ;;
	export) options+=" --dot --perfetto -o" ;;
	dump) options+=" --submission --type" ;;
	lint) options+=" --json --exit-code --narrow" ;;
	litmus) options+=" --model --reading --candidates" ;;
	cut) options+=" --every -o --any-image --strict --model --reading --compress --no-compress --quiet" ;;
	instrument) options+=" -o --sites --summary" ;;
	esac
	if [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$word"))
	else
		COMPREPLY=($(compgen -f -- "$word"))
	fi
}
complete -o filenames -F _vkrace vkrace
