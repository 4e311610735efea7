// SPDX-License-Identifier: Apache-2.0
// Kernels over images and texel buffers, one a macro. Each invocation has a texel of its own in a
// row of the 16 x 16 image, as many rows as workgroups, or in a tile of it.
#version 450
#ifdef TILED
layout(local_size_x = 4, local_size_y = 4) in;
#else
layout(local_size_x = 16) in;
#endif
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };
layout(set = 0, binding = 2, r32ui) uniform uimage2D image;
layout(set = 0, binding = 3) uniform usampler2D picture;
layout(set = 0, binding = 4) uniform usamplerBuffer words;
layout(set = 0, binding = 5, r32ui) uniform uimage2D images[4];
layout(set = 0, binding = 3) uniform utexture2D plain;
layout(set = 0, binding = 3) uniform usampler2DArray layers;
layout(set = 0, binding = 6) uniform sampler repeating;
layout(set = 0, binding = 6) uniform sampler both[2];
layout(set = 0, binding = 7) uniform sampler clamping;
layout(push_constant) uniform Push { uint first; };

// Where one sampler reads the first texel of the row, another reads the last.
uint behind_end(sampler by, float y)
{
	return textureLod(usampler2D(plain, by), vec2(1 + 0.5 / 16, y), 0).x; // @sample_by
}

void store_inside(ivec2 at, uint value)
{
	if (any(greaterThanEqual(at, imageSize(image))))
		return;
	imageStore(image, at, uvec4(value)); // @inside
}

// A texel and its neighbours in a row.
uint around(int column, float row)
{
	uint sum = 0;
	for (int step = -1; step <= 1; step++) {
		const vec2 at = vec2(column + step, row) + 0.5;
		sum += textureLod(picture, at / vec2(textureSize(picture, 0)), 0).x; // @around
	}
	return sum;
}

// Each texel in the mirrored row, in the column that is its row, and around it.
uint over_tiles(ivec2 at)
{
	uint sum = imageLoad(image, ivec2(15 - at.x, at.y)).x; // @mirrored
	sum += texelFetch(picture, at.yx, 0).x; // @turned
	for (int step = 0; step < 4; step++) {
		const vec2 beside = (vec2(at) + vec2(step - 1, 1.5 - step)) / 16;
		sum += textureLod(usampler2D(plain, clamping), beside, 0).x; // @beside
	}
	return sum;
}

void main()
{
	uint i = gl_GlobalInvocationID.x;
	ivec2 place = ivec2(gl_LocalInvocationID.x, gl_WorkGroupID.x);
#if defined(STORE)
	imageStore(image, place, uvec4(i)); // @store
#elif defined(TILE_STORE)
	ivec2 at = ivec2(gl_GlobalInvocationID.xy);
	if (all(lessThan(at, imageSize(image))))
		imageStore(image, min(at, ivec2(LAST, 15)), uvec4(i)); // @tile
#elif defined(TILE_READ)
	ivec2 at = ivec2(gl_GlobalInvocationID.xy);
	if (at.x >= 14 || at.y >= 15)
		return;
	uint sum = over_tiles(at);
	if (gl_WorkGroupID.xy == uvec2(0))
		result[gl_LocalInvocationIndex] = sum;
#elif defined(TILE_WHOLE)
	uvec2 own = gl_GlobalInvocationID.xy;
	result[own.y * 16u + own.x] = imageLoad(image, ivec2(own)).x; // @own
#elif defined(STORE_LAST)
	imageStore(image, ivec2(place.x, 15 - place.y), uvec4(i)); // @last
#elif defined(SAMPLE)
	result[i] = textureLod(picture, (vec2(place) + 0.5) / 16, 0).x; // @sample
#elif defined(SAMPLE_LAYER)
	result[i] = textureLod(layers, vec3((vec2(place) + 0.5) / 16, LAYER), 0).x; // @layer
#elif defined(SAMPLE_BETWEEN)
	result[i] = textureLod(picture, vec2(place) / 16, 0).x;
#elif defined(EXCHANGE)
	if (gl_WorkGroupID.x == 0)
		imageStore(image, place, uvec4(i)); // @write
	else
		result[i] = imageLoad(image, ivec2(place.x, ROW)).x; // @read
#elif defined(COUNT)
	imageAtomicAdd(image, ivec2(0), 1); // @count
	if (i == 31)
		COUNT_MORE; // @more
#elif defined(CHOOSE)
	if (i == 0)
		imageStore(image, place, uvec4(i)); // @first
	else if (i == 16)
		result[i] = behind_end(SAMPLER, 0.5 / 16);
	else if (i == 17)
		result[i] = behind_end(repeating, 8.5 / 16) + behind_end(clamping, 8.5 / 16);
#elif defined(BLUR)
	if (gl_WorkGroupID.x == 0)
		store_inside(place, i);
	else
		result[i] = around(place.x, ROW);
#elif defined(CURVE)
	const float x = place.x + 0.5;
	const vec2 curved = vec2(min(clamp(sqrt(x * x), 0, 15.5), mix(x, x, 0.125)),
				 max(abs(-0.5 - ROW), 0));
	if (gl_WorkGroupID.x == 0)
		imageStore(image, place, uvec4(i)); // @row
	else
		result[i] = textureLod(picture, curved / 16, 0).x; // @curved
#elif defined(READ_WORDS)
	result[i] = texelFetch(words, int(i)).x; // @fetch
#elif defined(PARTS)
	if (place.x < 8)
		imageStore(images[gl_WorkGroupID.x * OTHER], ivec2(place.x, 0), uvec4(i)); // @part
#elif defined(LINK)
	data[i] = imageAtomicExchange(image, ivec2(place.x & 3, 0), i); // @link
#elif defined(WALK)
	uint node = imageLoad(image, ivec2(place.x & 3, 0)).x; // @head
	result[i] = data[node & 31]; // @node
#endif
}
