// SPDX-License-Identifier: Apache-2.0
// The compute shaders of twins that share them. Knows nothing of what they do.
#include "twins.h"

#include "array_length_fixed.spv.h"
#include "array_length_race.spv.h"
#include "atomic_plain_fixed.spv.h"
#include "atomic_plain_race.spv.h"
#include "barrier_scope_fixed.spv.h"
#include "barrier_scope_race.spv.h"
#include "between_dispatches_fixed.spv.h"
#include "between_dispatches_race.spv.h"
#include "chosen_image_fixed.spv.h"
#include "chosen_image_race.spv.h"
#include "chosen_pointer_fixed.spv.h"
#include "chosen_pointer_race.spv.h"
#include "chosen_sampler_fixed.spv.h"
#include "chosen_sampler_race.spv.h"
#include "chosen_samplers.spv.h"
#include "coherent_ticket_fixed.spv.h"
#include "coherent_ticket_race.spv.h"
#include "count_device.spv.h"
#include "count_family.spv.h"
#include "descriptor_sample.spv.h"
#include "descriptor_store.spv.h"
#include "exchange_written_fixed.spv.h"
#include "exchange_written_race.spv.h"
#include "extension_used_fixed.spv.h"
#include "extension_used_race.spv.h"
#include "failed_exchange_fixed.spv.h"
#include "failed_exchange_race.spv.h"
#include "family_domain_fixed.spv.h"
#include "family_domain_race.spv.h"
#include "far_halves_fixed.spv.h"
#include "far_halves_race.spv.h"
#include "fence_class_race.spv.h"
#include "fence_domain_fixed.spv.h"
#include "fence_domain_race.spv.h"
#include "fences_fixed.spv.h"
#include "flag_taken_fixed.spv.h"
#include "flag_taken_race.spv.h"
#include "follow_words.spv.h"
#include "groups_between.spv.h"
#include "heap_array.spv.h"
#include "heap_combined.spv.h"
#include "image_blurred_fixed.spv.h"
#include "image_blurred_race.spv.h"
#include "image_count_fixed.spv.h"
#include "image_count_race.spv.h"
#include "image_curved_fixed.spv.h"
#include "image_curved_race.spv.h"
#include "image_exchange_fixed.spv.h"
#include "image_exchange_race.spv.h"
#include "image_layer_fixed.spv.h"
#include "image_layer_race.spv.h"
#include "image_layers_fixed.spv.h"
#include "image_levels_fixed.spv.h"
#include "image_parts_race.spv.h"
#include "image_sample.spv.h"
#include "image_sample_between.spv.h"
#include "image_store.spv.h"
#include "image_store_last.spv.h"
#include "invisible_parts_race.spv.h"
#include "kept_values_fixed.spv.h"
#include "kept_values_race.spv.h"
#include "large_log_fixed.spv.h"
#include "large_log_race.spv.h"
#include "last_workgroup_fixed.spv.h"
#include "like_groups_fixed.spv.h"
#include "like_groups_race.spv.h"
#include "list_link.spv.h"
#include "list_turns_fixed.spv.h"
#include "list_turns_race.spv.h"
#include "list_walk.spv.h"
#include "long_search_fixed.spv.h"
#include "long_search_race.spv.h"
#include "look_back_fixed.spv.h"
#include "look_back_race.spv.h"
#include "neighbour_bytes_fixed.spv.h"
#include "neighbour_bytes_race.spv.h"
#include "private_parts_race.spv.h"
#include "push_words.spv.h"
#include "raced_groups_fixed.spv.h"
#include "raced_groups_race.spv.h"
#include "ray_address.spv.h"
#include "ray_passed.spv.h"
#include "ray_query.spv.h"
#include "read_texels.spv.h"
#include "read_uniform.spv.h"
#include "read_words.spv.h"
#include "read_write_fixed.spv.h"
#include "read_write_race.spv.h"
#include "relaxed_ticket_race.spv.h"
#include "same_value_fixed.spv.h"
#include "same_value_race.spv.h"
#include "several_flags_fixed.spv.h"
#include "several_flags_race.spv.h"
#include "shared_flag_fixed.spv.h"
#include "shared_flag_race.spv.h"
#include "shared_read_fixed.spv.h"
#include "shared_read_race.spv.h"
#include "step_loop_fixed.spv.h"
#include "step_loop_race.spv.h"
#include "strange_groups.spv.h"
#include "subgroup_barrier_fixed.spv.h"
#include "subgroup_barrier_race.spv.h"
#include "subgroup_coherent_fixed.spv.h"
#include "subgroup_coherent_race.spv.h"
#include "subgroup_count_fixed.spv.h"
#include "subgroup_count_race.spv.h"
#include "subgroup_rows_fixed.spv.h"
#include "subgroup_rows_race.spv.h"
#include "subgroup_turns_fixed.spv.h"
#include "subgroup_turns_race.spv.h"
#include "ticket_scope_race.spv.h"
#include "tile_loop_fixed.spv.h"
#include "tile_loop_race.spv.h"
#include "tiles_read.spv.h"
#include "tiles_store.spv.h"
#include "tiles_store_twice.spv.h"
#include "tiles_whole.spv.h"
#include "told_groups.spv.h"
#include "unaligned_vectors_fixed.spv.h"
#include "unaligned_vectors_race.spv.h"
#include "unavailable_dispatch_race.spv.h"
#include "undeclared_capability_fixed.spv.h"
#include "undeclared_capability_race.spv.h"
#include "unreleased_dispatch_race.spv.h"
#include "update_words.spv.h"
#include "write_arguments.spv.h"
#include "write_result.spv.h"
#include "write_words.spv.h"
#ifdef VKR_TEST_HEAPS
#include "heap_texels.spv.h"
#include "heap_words.spv.h"
#endif
#include "write_write_fixed.spv.h"
#include "write_write_race.spv.h"

#define KERNEL(name)                                                                               \
	{                                                                                          \
#name, name, sizeof name, VK_NULL_HANDLE                                           \
	}
#define KERNELS(name) KERNEL(name##_race), KERNEL(name##_fixed)

struct gpu_test_kernel gpu_twin_kernels[] = {
	KERNEL(write_words),
	KERNEL(follow_words),
	KERNEL(heap_array),
	KERNEL(heap_combined),
#ifdef VKR_TEST_HEAPS
	KERNEL(heap_words),
	KERNEL(heap_texels),
#endif
	KERNEL(descriptor_store),
	KERNEL(descriptor_sample),
	KERNEL(update_words),
	KERNEL(read_words),
	KERNEL(read_uniform),
	KERNEL(count_device),
	KERNEL(count_family),
	KERNEL(write_result),
	KERNEL(told_groups),
	KERNEL(strange_groups),
	KERNEL(groups_between),
	KERNEL(write_arguments),
	KERNELS(atomic_plain),
	KERNELS(neighbour_bytes),
	KERNEL(ray_address),
	KERNEL(push_words),
	KERNEL(ray_passed),
	KERNEL(ray_query),
	KERNELS(read_write),
	KERNELS(far_halves),
	KERNELS(same_value),
	KERNELS(shared_read),
	KERNELS(list_turns),
	KERNELS(kept_values),
	KERNELS(tile_loop),
	KERNELS(step_loop),
	KERNELS(large_log),
	KERNELS(like_groups),
	KERNELS(long_search),
	KERNELS(raced_groups),
	KERNELS(unaligned_vectors),
	KERNELS(write_write),
	KERNELS(array_length),
	KERNELS(barrier_scope),
	KERNELS(chosen_pointer),
	KERNELS(extension_used),
	KERNELS(undeclared_capability),
	KERNELS(between_dispatches),
	KERNELS(family_domain),
	KERNELS(fence_domain),
	KERNELS(flag_taken),
	KERNELS(several_flags),
	KERNEL(unreleased_dispatch_race),
	KERNEL(unavailable_dispatch_race),
	KERNELS(coherent_ticket),
	KERNELS(exchange_written),
	KERNELS(failed_exchange),
	KERNELS(subgroup_barrier),
	KERNELS(subgroup_coherent),
	KERNELS(subgroup_count),
	KERNELS(subgroup_turns),
	KERNELS(subgroup_rows),
	KERNELS(look_back),
	KERNELS(shared_flag),
	KERNEL(fence_class_race),
	KERNEL(fences_fixed),
	KERNEL(invisible_parts_race),
	KERNEL(last_workgroup_fixed),
	KERNEL(private_parts_race),
	KERNEL(relaxed_ticket_race),
	KERNEL(ticket_scope_race),
	KERNEL(image_store),
	KERNEL(image_sample),
	KERNEL(image_layer_race),
	KERNEL(image_layer_fixed),
	KERNEL(image_blurred_race),
	KERNEL(tiles_store),
	KERNEL(tiles_store_twice),
	KERNEL(tiles_read),
	KERNEL(tiles_whole),
	KERNEL(image_store_last),
	KERNEL(image_curved_fixed),
	KERNEL(image_curved_race),
	KERNEL(image_blurred_fixed),
	KERNEL(image_exchange_race),
	KERNEL(image_exchange_fixed),
	KERNEL(image_count_race),
	KERNEL(image_count_fixed),
	KERNELS(chosen_image),
	KERNELS(chosen_sampler),
	KERNEL(read_texels),
	KERNEL(image_parts_race),
	KERNEL(image_sample_between),
	KERNEL(chosen_samplers),
	KERNEL(image_layers_fixed),
	KERNEL(image_levels_fixed),
	KERNEL(list_link),
	KERNEL(list_walk),
	{NULL, NULL, 0, VK_NULL_HANDLE},
};
