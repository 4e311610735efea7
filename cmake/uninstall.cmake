# SPDX-License-Identifier: Apache-2.0
# Removes what the last `cmake --install` of this build has installed: cmake -DBUILD=FOLDER -P.
set(list "${BUILD}/install_manifest.txt")
if(NOT EXISTS "${list}")
  message(FATAL_ERROR "${list} is not there: nothing was installed from this build")
endif()
file(STRINGS "${list}" files)
foreach(file ${files})
  file(REMOVE "$ENV{DESTDIR}${file}")
  message(STATUS "Removed: $ENV{DESTDIR}${file}")
endforeach()
file(REMOVE "${list}")
