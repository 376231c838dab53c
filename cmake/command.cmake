# SPDX-License-Identifier: Apache-2.0
#
# The sluice command: C on top of the two public interfaces, and nothing of src/ or io/.

file(GLOB sluice_command_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.c)
if(sluice_command_sources)
    add_executable(sluice_command ${sluice_command_sources})
    set_target_properties(sluice_command PROPERTIES OUTPUT_NAME sluice
        INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    sluice_compile_options(sluice_command)
    target_include_directories(sluice_command PRIVATE ${PROJECT_SOURCE_DIR}/cli)
    target_link_libraries(sluice_command PRIVATE
        sluice_io sluice sluice_jansson Threads::Threads m)
endif()
