# SPDX-License-Identifier: Apache-2.0
#
# make install: libraries, headers, the command, pkg-config files and a CMake package.  All of them
# find each other relative to where they lie, so an installed tree can be moved.

include(CMakePackageConfigHelpers)

install(FILES ${sluice_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice)
install(TARGETS sluice sluice_static EXPORT sluice-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET sluice_io)
    install(TARGETS sluice_io EXPORT sluice-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET sluice_command)
    install(TARGETS sluice_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# pkg-config: ${pcfiledir} is LIBDIR/pkgconfig, so the prefix is as many levels up as that has.
string(REGEX REPLACE "[^/]+" ".." sluice_prefix_up "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
foreach(package sluice sluice-io)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in
        ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/sluice.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET sluice_io)
    install(FILES ${PROJECT_BINARY_DIR}/sluice-io.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

set(sluice_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sluiceConfig.cmake.in
    ${PROJECT_BINARY_DIR}/sluiceConfig.cmake INSTALL_DESTINATION ${sluice_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sluiceConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sluiceConfig.cmake
    ${PROJECT_BINARY_DIR}/sluiceConfigVersion.cmake DESTINATION ${sluice_package_dir})
install(EXPORT sluice-targets NAMESPACE sluice:: DESTINATION ${sluice_package_dir})
