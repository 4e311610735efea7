#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A blur and the sums of its columns, compiled by Halide for Vulkan, which writes its own SPIR-V; prints them. Knows Halide; nothing of Vulkan."""
import halide as hl
import numpy

x, y, outer_x, outer_y, inner_x, inner_y = (
    hl.Var(name) for name in ("x", "y", "outer_x", "outer_y", "inner_x", "inner_y"))
numbers = numpy.arange(64 * 64, dtype=numpy.int32).reshape(64, 64)  # a buffer does not keep it
source = hl.BoundaryConditions.repeat_edge(hl.Buffer(numbers))
row = hl.RDom([(0, 64)])
wide, blurred, sums = hl.Func("wide"), hl.Func("blurred"), hl.Func("sums")
wide[x, y] = source[x - 1, y] + source[x, y] + source[x + 1, y]
blurred[x, y] = wide[x, y - 1] + wide[x, y] + wide[x, y + 1]
sums[x] = 0
sums[x] += blurred[x, row]
# The rows of a tile are in shared memory, behind a barrier.
blurred.compute_root().gpu_tile(x, y, outer_x, outer_y, inner_x, inner_y, 8, 8)
wide.compute_at(blurred, outer_x).gpu_threads(x, y)
sums.update().gpu_tile(x, outer_x, inner_x, 16)
target = hl.get_host_target()
for feature in ("Vulkan", "VulkanInt8", "VulkanInt16"):
    target = target.with_feature(getattr(hl.TargetFeature, feature))
done = sums.realize([64], target)
done.copy_to_host()
print(numpy.array(done))
