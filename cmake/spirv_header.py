# SPDX-License-Identifier: Apache-2.0
"""SPIR-V assembly as a header with `const uint32_t NAME[]`, as glslangValidator --vn makes one.

spirv_header.py ASSEMBLER SOURCE NAME HEADER [WORD=TEXT...]: the words are replaced first.
"""
import array
import pathlib
import subprocess
import sys
import tempfile

assembler, source, name, header = sys.argv[1:5]
text = pathlib.Path(source).read_text()
for word in sys.argv[5:]:
    text = text.replace(*word.split("=", 1))
with tempfile.NamedTemporaryFile() as binary:
    subprocess.run([assembler, "--target-env", "spv1.3", "-", "-o", binary.name],
                   input=text.encode(), check=True)
    words = array.array("I", pathlib.Path(binary.name).read_bytes())
pathlib.Path(header).write_text(
    f"const uint32_t {name}[] = {{\n" + ",\n".join(f"\t{word:#010x}" for word in words) + "\n};\n")
