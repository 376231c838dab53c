# SPDX-License-Identifier: Apache-2.0
#
# libsluice: one set of objects, a shared and a static library of them.  Tests link the static one,
# because they look at what the shared one hides.

file(GLOB sluice_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*.c)
file(GLOB sluice_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/sluice/*.h)

add_library(sluice_objects OBJECT ${sluice_sources})
sluice_compile_options(sluice_objects)
target_include_directories(sluice_objects PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(sluice_objects PRIVATE
    sluice_nanoarrow sluice_xxhash sluice_jansson Threads::Threads)

# At -O3 gcc 12 sees branches of the inlined XXH3 that the length of the key rules out.  The debug
# build checks the same file without this.
if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Release)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/route/canonical.c
        PROPERTIES COMPILE_OPTIONS -Wno-array-bounds)
endif()

add_library(sluice SHARED $<TARGET_OBJECTS:sluice_objects>)
add_library(sluice_static STATIC $<TARGET_OBJECTS:sluice_objects>)
add_library(sluice::sluice ALIAS sluice)
add_library(sluice::sluice_static ALIAS sluice_static)
set_target_properties(sluice PROPERTIES
    SOVERSION 0 VERSION ${PROJECT_VERSION} LINKER_LANGUAGE C)
set_target_properties(sluice_static PROPERTIES OUTPUT_NAME sluice EXPORT_NAME sluice_static)
sluice_export_symbols(sluice ${PROJECT_SOURCE_DIR}/sluice.map)

get_target_property(nanoarrow_type sluice_nanoarrow TYPE)
foreach(library sluice sluice_static)
    if(nanoarrow_type STREQUAL OBJECT_LIBRARY)
        target_sources(${library} PRIVATE $<TARGET_OBJECTS:sluice_nanoarrow>)
    else()
        target_link_libraries(${library} PRIVATE
            $<BUILD_INTERFACE:sluice_nanoarrow> $<INSTALL_INTERFACE:nanoarrow_static>)
    endif()
    target_include_directories(${library} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    # Installed, a dependency is a plain name, which the linker of the user looks up.
    target_link_libraries(${library} PRIVATE
        $<BUILD_INTERFACE:sluice_xxhash> $<INSTALL_INTERFACE:xxhash>
        $<BUILD_INTERFACE:sluice_jansson> $<INSTALL_INTERFACE:jansson>
        Threads::Threads m)
endforeach()
