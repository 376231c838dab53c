# SPDX-License-Identifier: Apache-2.0
#
# Tests written in C.  Every file test_*.c of the folders below is a program of its own, linked with
# the static library and with all of tests/support/, and known to ctest under FOLDER.NAME with the
# folder as its label.  A file that includes sluice/io.h is linked with libsluice_io too.

enable_testing()
sluice_find_system(sluice_cmocka cmocka.h cmocka libcmocka-dev)

add_library(sluice_test_support INTERFACE)
target_include_directories(sluice_test_support INTERFACE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/tests/support)
target_link_libraries(sluice_test_support INTERFACE
    sluice_static sluice_nanoarrow sluice_xxhash sluice_jansson sluice_cmocka Threads::Threads m)

file(GLOB support_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.c)
if(support_sources)
    add_library(sluice_test_objects STATIC ${support_sources})
    sluice_compile_options(sluice_test_objects)
    target_link_libraries(sluice_test_objects PUBLIC sluice_test_support)
    set(support_library sluice_test_objects)
else()
    set(support_library sluice_test_support)
endif()

foreach(folder unit kernel fault stress io abi)
    file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/test_*.c)
    foreach(test IN LISTS tests)
        get_filename_component(name ${test} NAME_WE)
        file(STRINGS ${test} io_lines REGEX "include [<\"]sluice/io\\.h")
        if(io_lines AND NOT SLUICE_BUILD_IO)
            continue()
        endif()
        set(target ${folder}_${name})
        add_executable(${target} ${test})
        sluice_compile_options(${target})
        target_link_libraries(${target} PRIVATE ${support_library})
        if(io_lines)
            target_link_libraries(${target} PRIVATE sluice_io)
        endif()
        set_target_properties(${target} PROPERTIES
            OUTPUT_NAME ${name}
            RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${folder})
        add_test(NAME ${folder}.${name} COMMAND ${target}
            WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(${folder}.${name} PROPERTIES LABELS ${folder} TIMEOUT 600)
    endforeach()
endforeach()
