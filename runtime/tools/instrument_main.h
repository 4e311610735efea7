// SPDX-License-Identifier: Apache-2.0
// `vkrace instrument IN.spv -o OUT.spv [--sites] [--entry NAME]`.
// Knows files and the command line, nothing of SPIR-V.
#pragma once

// argv[0] is "instrument". Returns the exit status: 0, 1 for a failure, 2 for a wrong command line.
int vkr_instrument_main(int argc, char **argv);
