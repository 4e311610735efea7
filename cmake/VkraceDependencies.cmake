# Every library vkrace links, found in one place. The Debian packages that bring them are listed in
# dependencies.txt at the root; ./setup installs them.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(VULKAN REQUIRED IMPORTED_TARGET vulkan)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw)
find_package(SPIRV-Tools REQUIRED)
pkg_check_modules(UNWIND REQUIRED IMPORTED_TARGET libunwind)
find_package(Zydis REQUIRED)

# The layer is loaded into programs whose runtimes lack these libraries, or have others of the same
# names: where Debian brings an archive, it is linked in place of the shared library.
function(vkr_link_archive target library)
  find_library(VKR_ARCHIVE_${library} NAMES "lib${library}.a")
  mark_as_advanced(VKR_ARCHIVE_${library})
  if(VKR_ARCHIVE_${library})
    set_property(TARGET PkgConfig::${target} PROPERTY INTERFACE_LINK_LIBRARIES
                 "${VKR_ARCHIVE_${library}}")
  endif()
endfunction()
vkr_link_archive(ZSTD zstd)
vkr_link_archive(XXHASH xxhash)
