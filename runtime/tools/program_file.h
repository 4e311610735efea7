// SPDX-License-Identifier: Apache-2.0
// What the file of a program says about whether a Vulkan layer can be loaded into it. Knows files,
// and nothing of processes.
#pragma once

// Why no layer of this build's can be loaded into `program` (found as execvp() finds it), in words
// that follow the program's name; NULL where the file gives no reason, scripts included.
const char *vkr_program_file_obstacle(const char *program);
