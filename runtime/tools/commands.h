// SPDX-License-Identifier: Apache-2.0
// The commands of vkrace, one a function: argv[0] is the command's name, and the result the exit
// status. Knows their names only.
#pragma once

// Exit statuses besides 0 and, of `run`, the program's own. As shells have it: 126 and 127 where a
// program cannot be started or found, 128 + N where signal N ended it.
enum vkr_exit {
	VKR_EXIT_FAILURE = 2, // wrong command line, input unreadable or damaged, output unwritable
	VKR_EXIT_RACES = 66,  // races were found
	VKR_EXIT_UNJUDGED = 67,   // of `run`: nothing was judged
	VKR_EXIT_INCOMPLETE = 68, // of `run --fail-on incomplete`
};

int vkr_command_cut(int argc, char **argv);
int vkr_command_diff(int argc, char **argv);
int vkr_command_export(int argc, char **argv);
int vkr_command_dump(int argc, char **argv);
int vkr_command_info(int argc, char **argv);
int vkr_command_judge(int argc, char **argv);
int vkr_command_lint(int argc, char **argv);
int vkr_command_merge(int argc, char **argv);
int vkr_command_replay(int argc, char **argv);
int vkr_command_report(int argc, char **argv);
int vkr_command_run(int argc, char **argv);
