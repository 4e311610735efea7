// SPDX-License-Identifier: Apache-2.0
// What a shader's synchronization could order, as its site table tells. Knows sites; nothing of
// what was executed.
#pragma once

struct vkr_shader;

// Fills in what it orders, of which classes.
void vkr_shader_find_order(struct vkr_shader *shader);
