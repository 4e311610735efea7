# SPDX-License-Identifier: Apache-2.0
# The interpreter of the project's scripts: itself, not what a version manager puts in its place on
# the path, which takes longer to start than most tests take.
if(NOT Python3_EXECUTABLE)
  find_program(VKR_PYTHON python3 REQUIRED)
  mark_as_advanced(VKR_PYTHON)
  execute_process(COMMAND "${VKR_PYTHON}" -c "import sys; print(sys.executable)"
                  OUTPUT_VARIABLE VKR_PYTHON_ITSELF OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  set(Python3_EXECUTABLE "${VKR_PYTHON_ITSELF}" CACHE FILEPATH "interpreter of scripts")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
