# SPDX-License-Identifier: Apache-2.0
#
# What comes from outside.  Each is taken from the system when it is there, else from what
# tools/setup.py fetched into .deps/, pinned by version and hash.
#
# Gives the targets sluice_nanoarrow, sluice_xxhash, sluice_jansson and sluice_arrow_cpp.

set(SLUICE_DEPS_DIR ${PROJECT_SOURCE_DIR}/.deps CACHE PATH "What tools/setup.py fetched")
set(setup_hint "run tools/setup.py, or `make`, which does")

# A header and a library of the system under one imported target.
function(sluice_find_system target header library package)
    find_path(${target}_INCLUDE ${header})
    find_library(${target}_LIBRARY ${library})
    mark_as_advanced(${target}_INCLUDE ${target}_LIBRARY)
    if(NOT ${target}_INCLUDE OR NOT ${target}_LIBRARY)
        message(FATAL_ERROR "${header} or lib${library} is missing (${package}): ${setup_hint}")
    endif()
    add_library(${target} INTERFACE)
    target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
    target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()

sluice_find_system(sluice_xxhash xxhash.h xxhash libxxhash-dev)
sluice_find_system(sluice_jansson jansson.h jansson libjansson-dev)

# nanoarrow's own CMakeLists.txt is not used: the source package lacks the templates that it
# installs from.  Its four C files are compiled here instead, under a name space of our own, so
# that libsluice.a can be linked into a program that has another nanoarrow.
find_package(nanoarrow QUIET)
if(nanoarrow_FOUND)
    add_library(sluice_nanoarrow INTERFACE)
    target_link_libraries(sluice_nanoarrow INTERFACE nanoarrow::nanoarrow_static)
else()
    set(NANOARROW_VERSION 0.9.0)
    set(nanoarrow_dir
        ${SLUICE_DEPS_DIR}/nanoarrow-${NANOARROW_VERSION}/subprojects/arrow-nanoarrow/src)
    if(NOT EXISTS ${nanoarrow_dir}/nanoarrow/nanoarrow.h)
        message(FATAL_ERROR "nanoarrow ${NANOARROW_VERSION} is missing: ${setup_hint}")
    endif()
    set(NANOARROW_VERSION_MAJOR 0)
    set(NANOARROW_VERSION_MINOR 9)
    set(NANOARROW_VERSION_PATCH 0)
    set(NANOARROW_NAMESPACE_DEFINE "#define NANOARROW_NAMESPACE SluicePrivate")
    configure_file(${nanoarrow_dir}/nanoarrow/nanoarrow_config.h.in
        ${PROJECT_BINARY_DIR}/nanoarrow/nanoarrow/nanoarrow_config.h)
    add_library(sluice_nanoarrow OBJECT
        ${nanoarrow_dir}/nanoarrow/common/array.c
        ${nanoarrow_dir}/nanoarrow/common/array_stream.c
        ${nanoarrow_dir}/nanoarrow/common/schema.c
        ${nanoarrow_dir}/nanoarrow/common/utils.c)
    target_include_directories(sluice_nanoarrow SYSTEM PUBLIC
        ${nanoarrow_dir} ${PROJECT_BINARY_DIR}/nanoarrow)
    set_target_properties(sluice_nanoarrow PROPERTIES
        C_STANDARD 99 C_EXTENSIONS ON C_VISIBILITY_PRESET hidden)
endif()

# Arrow C++ inside the pyarrow wheel: headers and versioned libraries, but no CMake package.
function(sluice_find_arrow_wheel)
    file(GLOB packages ${SLUICE_DEPS_DIR}/venv/lib/python3*/site-packages/pyarrow)
    if(NOT packages)
        message(FATAL_ERROR "Arrow C++ is missing: ${setup_hint}")
    endif()
    list(GET packages 0 pyarrow)
    file(GLOB arrow ${pyarrow}/libarrow.so.*)
    file(GLOB parquet ${pyarrow}/libparquet.so.*)
    add_library(sluice_arrow_cpp INTERFACE)
    target_include_directories(sluice_arrow_cpp SYSTEM INTERFACE ${pyarrow}/include)
    target_link_libraries(sluice_arrow_cpp INTERFACE ${parquet} ${arrow})
    set(SLUICE_ARROW_ORIGIN "wheel in ${pyarrow}" PARENT_SCOPE)
    set(SLUICE_ARROW_RPATH ${pyarrow} PARENT_SCOPE)
endfunction()

if(SLUICE_BUILD_IO)
    find_package(Arrow 20 QUIET)
    find_package(Parquet QUIET)
    if(Arrow_FOUND AND Parquet_FOUND)
        add_library(sluice_arrow_cpp INTERFACE)
        target_link_libraries(sluice_arrow_cpp INTERFACE
            Parquet::parquet_shared Arrow::arrow_shared)
        set(SLUICE_ARROW_ORIGIN "system, ${Arrow_VERSION}")
    else()
        sluice_find_arrow_wheel()
    endif()
    message(STATUS "Arrow C++: ${SLUICE_ARROW_ORIGIN}")
endif()
