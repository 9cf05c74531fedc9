# The installed tree and the Debian package, made from this build and used as a user would.
if(SP_INSTALL AND SP_SHARED AND SP_IO AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_test(NAME install/tree COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/tree.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER})
    add_test(NAME install/deb COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/deb.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    set_tests_properties(install/tree install/deb PROPERTIES TIMEOUT 300 COST 100)
endif()
