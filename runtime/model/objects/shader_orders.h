// SPDX-License-Identifier: Apache-2.0
// What a shader's synchronization could order, according to its site table. Knows sites; not what
// was executed.
#pragma once

struct vkr_shader;

// Fills in what it orders, of which classes.
void vkr_shader_find_order(struct vkr_shader *shader);
