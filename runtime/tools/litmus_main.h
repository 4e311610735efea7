// SPDX-License-Identifier: Apache-2.0
// The command `vkrace litmus FILE...`. Knows its output and exit status; judges nothing itself.
#pragma once

// argv[0] is the command's name, the rest are files. 0: every `expect` holds; 1: one does not; 2: a
// file can't be read, then one line on standard error says which and why.
int vkr_litmus_main(int argc, char **argv);
