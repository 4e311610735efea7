# The floors of the house: a folder is one target, and its include path holds only the floors it
# may see, so that the compiler keeps them apart.

set(VKR_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
                 -Wmissing-prototypes -Wvla)
set(VKR_CXX_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow)

add_library(vkr_contracts INTERFACE)
target_include_directories(vkr_contracts INTERFACE "${PROJECT_SOURCE_DIR}/include")

# vkr_floor_options(TARGET): the flags every target of ours is compiled with.
function(vkr_floor_options target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C>:${VKR_WARNINGS}> $<$<COMPILE_LANGUAGE:CXX>:${VKR_CXX_WARNINGS}>)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  if(VKR_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${VKR_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${VKR_SANITIZE})
  endif()
  if(VKR_FUZZ) # what the fuzzer is to reach tells it how far it got
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# vkr_floor(NAME [FOLDERS ...] SOURCES ... SEES ...): the static library of one folder, and of those
# in it that only sort its files. File names are unique in the repository, so headers are included
# by bare name.
function(vkr_floor name)
  cmake_parse_arguments(FLOOR "" "" "FOLDERS;SOURCES;SEES" ${ARGN})
  add_library(${name} STATIC ${FLOOR_SOURCES})
  target_include_directories(${name} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}" ${FLOOR_FOLDERS})
  target_link_libraries(${name} PUBLIC vkr_contracts ${FLOOR_SEES})
  vkr_floor_options(${name})
endfunction()
