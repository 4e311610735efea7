# GLSL compiled at build time: each shader becomes a header with `const uint32_t NAME[]`.

find_program(VKR_GLSLANG glslangValidator REQUIRED)

# vkr_shader(TARGET SOURCE NAME [FLAGS ...]): compiles SOURCE with debug information and lets
# TARGET include "NAME.spv.h".
function(vkr_shader target source name)
  cmake_parse_arguments(SHADER "" "" "FLAGS" ${ARGN})
  set(header "${CMAKE_CURRENT_BINARY_DIR}/shaders/${name}.spv.h")
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/shaders")
  add_custom_command(
    OUTPUT "${header}"
    COMMAND "${VKR_GLSLANG}" --quiet -g -V ${SHADER_FLAGS} --vn ${name} -o "${header}"
            "${CMAKE_CURRENT_SOURCE_DIR}/${source}"
    DEPENDS "${source}"
    COMMENT "Compiling ${source} as ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/shaders")
endfunction()

find_program(VKR_SPIRV_AS spirv-as REQUIRED)

# vkr_assembly(TARGET SOURCE NAME [WORD=TEXT ...]): the same of assembly, with words replaced.
function(vkr_assembly target source name)
  set(header "${CMAKE_CURRENT_BINARY_DIR}/shaders/${name}.spv.h")
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/shaders")
  set(script "${PROJECT_SOURCE_DIR}/cmake/spirv_header.py")
  add_custom_command(
    OUTPUT "${header}"
    COMMAND Python3::Interpreter "${script}" "${VKR_SPIRV_AS}"
            "${CMAKE_CURRENT_SOURCE_DIR}/${source}" ${name} "${header}" ${ARGN}
    DEPENDS "${source}" "${script}"
    COMMENT "Assembling ${source} as ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/shaders")
endfunction()
