# SPDX-License-Identifier: Apache-2.0
#
# Examples, one program per C file, and benchmarks, one program per file bench_*.c with the other C
# files of the folder linked to each.  Benchmarks are built by the target `benches` alone, as nobody
# needs them but who runs them.

function(sluice_program folder source)
    get_filename_component(name ${source} NAME_WE)
    set(target program_${name})
    add_executable(${target} ${source} ${ARGN})
    sluice_compile_options(${target})
    target_link_libraries(${target} PRIVATE sluice Threads::Threads m)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
endfunction()

if(SLUICE_BUILD_EXAMPLES)
    file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
    foreach(source IN LISTS examples)
        sluice_program(examples ${source})
    endforeach()
endif()

add_custom_target(benches)
file(GLOB benches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/bench_*.c)
file(GLOB bench_support CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
list(REMOVE_ITEM bench_support ${benches})
foreach(source IN LISTS benches)
    sluice_program(bench ${source} ${bench_support})
    get_filename_component(name ${source} NAME_WE)
    set_target_properties(program_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(benches program_${name})
endforeach()
