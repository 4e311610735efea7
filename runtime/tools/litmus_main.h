// SPDX-License-Identifier: Apache-2.0
// The command `vkrace litmus [options] FILE...`. Knows its output and exit status; judges nothing
// itself.
#pragma once

// argv[0] is the command's name; --model, --reading and files follow. 0: every `expect` of the
// model holds; 1: one does not; 2: a file can't be read, or an option is wrong, then one line on
// standard error says which and why.
int vkr_litmus_main(int argc, char **argv);
