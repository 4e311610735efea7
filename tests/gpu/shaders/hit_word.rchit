// SPDX-License-Identifier: Apache-2.0
// A hit writes a word: of another launch or, fixed, of nobody else. Or of its own launch.
#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_KHR_memory_scope_semantics : require
#ifdef MODEL
#pragma use_vulkan_memory_model
#define SHARED nonprivate
#else
#define SHARED
#endif

layout(std430, binding = 0) buffer Data { SHARED uint words[]; };
layout(location = 0) rayPayloadInEXT uint payload;

#define ORDER(semantics)                                                                           \
	memoryBarrier(gl_ScopeShaderCallEXT, gl_StorageSemanticsBuffer, semantics)

void main()
{
#ifdef FENCES
	ORDER(gl_SemanticsAcquire | gl_SemanticsMakeVisible);
#endif
	words[WORD] = 2; // @hit
#ifdef FENCES
	ORDER(gl_SemanticsRelease | gl_SemanticsMakeAvailable);
#endif
}
