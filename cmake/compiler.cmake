# SPDX-License-Identifier: Apache-2.0
#
# How the project's own code is compiled.  Every target of ours calls sluice_compile_options();
# code from outside (nanoarrow) does not, because its warnings are not ours to mend.

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Release keeps the symbols: a profile or a core file of a user's must be readable.  NDEBUG means
# nothing here, SLUICE_CHECKS does.
set(CMAKE_C_FLAGS_RELEASE "-O3 -g")
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

if(SLUICE_SANITIZE)
    # vptr needs the type information of every class, and those of a prebuilt Arrow are hidden.
    set(sanitize -fsanitize=${SLUICE_SANITIZE} -fno-omit-frame-pointer)
    if(SLUICE_SANITIZE MATCHES undefined)
        list(APPEND sanitize -fno-sanitize=vptr -fno-sanitize-recover=all)
    endif()
    add_compile_options(${sanitize})
    add_link_options(${sanitize})
endif()

find_package(Threads REQUIRED)

set(SLUICE_C_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wvla)
set(SLUICE_CXX_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wundef)

# The options of every target of ours: the standard, the warnings, hidden symbols, the checks.
function(sluice_compile_options target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS ON
        CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:C>:${SLUICE_C_WARNINGS}>
        $<$<COMPILE_LANGUAGE:CXX>:${SLUICE_CXX_WARNINGS}>)
    if(SLUICE_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    target_compile_definitions(${target} PRIVATE SLUICE_CHECKS=${SLUICE_CHECKS})
endfunction()

# Export exactly the symbols of a map.
function(sluice_export_symbols target map)
    target_link_options(${target} PRIVATE "LINKER:--version-script=${map}")
    if(NOT SLUICE_SANITIZE)
        target_link_options(${target} PRIVATE "LINKER:--no-undefined")
    endif()
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${map})
endfunction()
