// SPDX-License-Identifier: Apache-2.0
#version 450
// A ray tracer: objects in buffers, looked through at each hit, for the shadow, and for reflections.
#define BOUNCES 2
struct Sphere {
	vec3 pos;
	float radius;
	vec3 diffuse;
	float specular;
	int id;
};
struct Plane {
	vec3 normal;
	float distance;
	vec3 diffuse;
	float specular;
	int id;
};
layout(local_size_x = 16, local_size_y = 16) in;
layout(std140, binding = 0) buffer Spheres { Sphere spheres[]; };
layout(std140, binding = 1) buffer Planes { Plane planes[]; };
layout(binding = 2) uniform Parameters {
	vec3 light;
	float aspect;
	vec4 fog;
	vec3 camera;
};
layout(binding = 3, rgba8) uniform writeonly image2D result;

float sphere_hit(vec3 origin, vec3 way, Sphere sphere)
{
	vec3 oc = origin - sphere.pos;
	float b = 2.0 * dot(oc, way), c = dot(oc, oc) - sphere.radius * sphere.radius;
	float h = b * b - 4.0 * c;
	if (h < 0.0)
		return -1.0;
	return (-b - sqrt(h)) / 2.0;
}

float plane_hit(vec3 origin, vec3 way, Plane plane)
{
	float d = dot(way, plane.normal);
	if (d == 0.0)
		return 0.0;
	float t = -(plane.distance + dot(origin, plane.normal)) / d;
	return t < 0.0 ? 0.0 : t;
}

int intersect(vec3 origin, vec3 way, inout float nearest)
{
	int id = -1;
	for (int i = 0; i < spheres.length(); i++) {
		float t = sphere_hit(origin, way, spheres[i]);
		if (t > 0.0001 && t < nearest) {
			id = spheres[i].id;
			nearest = t;
		}
	}
	for (int i = 0; i < planes.length(); i++) {
		float t = plane_hit(origin, way, planes[i]);
		if (t > 0.0001 && t < nearest) {
			id = planes[i].id;
			nearest = t;
		}
	}
	return id;
}

float shadow(vec3 origin, vec3 way, int id, float nearest)
{
	for (int i = 0; i < spheres.length(); i++) {
		if (spheres[i].id == id)
			continue;
		float t = sphere_hit(origin, way, spheres[i]);
		if (t > 0.0001 && t < nearest)
			return 0.5;
	}
	return 1.0;
}

vec3 scene(inout vec3 origin, inout vec3 way, inout int id)
{
	vec3 color = vec3(0);
	float t = 1000.0;
	int hit = intersect(origin, way, t);
	if (hit == -1)
		return color;
	vec3 pos = origin + t * way, towards = normalize(light - pos), normal;
	for (int i = 0; i < planes.length(); i++) {
		if (hit == planes[i].id) {
			normal = planes[i].normal;
			color = clamp(dot(normal, towards), 0.1, 1.0) * planes[i].diffuse;
		}
	}
	for (int i = 0; i < spheres.length(); i++) {
		if (hit == spheres[i].id) {
			normal = (pos - spheres[i].pos) / spheres[i].radius;
			color = clamp(dot(normal, towards), 0.1, 1.0) * spheres[i].diffuse +
				pow(max(0.0, dot(normal, normalize(towards - way))),
				    spheres[i].specular);
		}
	}
	if (id == -1)
		return color;
	id = hit;
	color *= shadow(pos, towards, id, length(light - pos));
	color = mix(color, fog.rgb, clamp(sqrt(t * t) / 20.0, 0.0, 1.0));
	way = way + 2.0 * -dot(normal, way) * normal;
	origin = pos;
	return color;
}

void main()
{
	ivec2 size = imageSize(result);
	vec2 uv = vec2(gl_GlobalInvocationID.xy) / size;
	vec3 origin = camera;
	vec3 way = normalize(vec3((-1.0 + 2.0 * uv) * vec2(aspect, 1.0), -1.0));
	int id = 0;
	vec3 color = scene(origin, way, id);
	float strength = 0.4;
	for (int i = 0; i < BOUNCES; i++) {
		vec3 reflected = scene(origin, way, id);
		color = (1.0 - strength) * color + strength * mix(reflected, color, 1.0 - strength);
		strength *= 0.5;
	}
	imageStore(result, ivec2(gl_GlobalInvocationID.xy), vec4(color, 0));
}
