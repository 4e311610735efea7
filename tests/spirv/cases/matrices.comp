// glslang: --target-env vulkan1.1
// Columns, rows, elements and whole matrices, both majornesses, with strides.
#version 450
layout(local_size_x = 1) in;
layout(binding = 0, std140, column_major) buffer Columns {
	mat3 m;
	mat2x3 array[4];
	mat3x2 tail;
} columns;
layout(binding = 1, std140, row_major) buffer Rows {
	mat3 m;
	mat2x3 array[4];
	mat3x2 tail;
} rows;
void main()
{
	uint i = gl_GlobalInvocationID.x;
	columns.m[1] = rows.m[2];
	columns.m[i][2] = rows.m[i][1];
	columns.m = rows.m;
	rows.array[i] = columns.array[i];
	rows.tail[i] = columns.tail[0];
	columns.array[i][1][i] = rows.array[2][i][1];
}
