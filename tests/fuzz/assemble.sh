#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Assembles a test module for the fuzz target of the instrumenter: assemble.sh SPIRV_AS CASE MODULE.
# One that only newer assemblers know is left out, and said to be.
set -eu
mkdir -p "$(dirname "$3")"
version=$(sed -n 's/^; version: //p' "$2" | head -1)
if ! "$1" --target-env "${version:-spv1.0}" -o "$3" "$2" 2>"$3.error"; then
  echo "$2 is left out: $(head -1 "$3.error")"
  : >"$3"
fi
rm -f "$3.error"
