# Runs COMMAND on FILES and compares its standard output with the file EXPECTED. The exit status
# must be 0: every file's own expectation holds.
execute_process(COMMAND "${COMMAND}" ${FILES} OUTPUT_VARIABLE output RESULT_VARIABLE status)
file(READ "${EXPECTED}" expected)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "exit status ${status}\n${output}")
endif()
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the output differs from ${EXPECTED}:\n${output}")
endif()
