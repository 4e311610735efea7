# SPDX-License-Identifier: Apache-2.0
"""Run by Blender: renders the cube of its factory settings and prints a checksum of the pixels. Knows Blender; nothing of Vulkan."""
import hashlib
import tempfile

import bpy

with tempfile.TemporaryDirectory() as folder:
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y = 96, 64
    scene.render.resolution_percentage = 100
    scene.render.filepath = f"{folder}/cube.png"
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    print("pixels", hashlib.sha256(str(list(image.pixels)).encode()).hexdigest())
