# SPDX-License-Identifier: Apache-2.0
#
# libsluice_io: files through Arrow C++.  A C interface outside, C++ inside, and nothing of C++
# crosses: the symbol map lets only sluice_ functions out.  An installed library finds Arrow where
# this build did: CMake leaves paths inside the checkout out unless they are named.

file(GLOB sluice_io_sources CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/io/*.cc ${PROJECT_SOURCE_DIR}/io/*.c)

add_library(sluice_io SHARED ${sluice_io_sources})
add_library(sluice::sluice_io ALIAS sluice_io)
sluice_compile_options(sluice_io)
target_include_directories(sluice_io
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/io)
target_link_libraries(sluice_io
    PUBLIC sluice
    PRIVATE $<BUILD_INTERFACE:sluice_arrow_cpp> $<BUILD_INTERFACE:sluice_jansson>
            Threads::Threads)
set_target_properties(sluice_io PROPERTIES
    SOVERSION 0 VERSION ${PROJECT_VERSION}
    INSTALL_RPATH "$ORIGIN;${SLUICE_ARROW_RPATH}" INSTALL_RPATH_USE_LINK_PATH ON)
sluice_export_symbols(sluice_io ${PROJECT_SOURCE_DIR}/sluice_io.map)
