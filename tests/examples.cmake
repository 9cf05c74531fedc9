# Every program of examples/ is built with the public headers and the library only, as a user would, and must print the output
# that its opening comment shows.
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
foreach(file ${examples})
    get_filename_component(name ${file} NAME_WE)
    add_executable(example_${name} ${file})
    target_link_libraries(example_${name} PRIVATE souple sp_flags)
    add_test(NAME examples/${name}
        COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:example_${name}> -DSOURCE=${file} -P ${CMAKE_CURRENT_SOURCE_DIR}/run_example.cmake)
    set_tests_properties(examples/${name} PROPERTIES TIMEOUT 120)
    # a program without a sanitizer cannot load a library that has one
    if(NOT SP_SANITIZE)
        file(RELATIVE_PATH build ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
        add_test(NAME examples/${name}_as_written
            COMMAND ${CMAKE_COMMAND} -DPROGRAM=${CMAKE_CURRENT_BINARY_DIR}/as_written_${name} -DSOURCE=${file} -DBUILD=${build}
                    -P ${CMAKE_CURRENT_SOURCE_DIR}/run_example.cmake
            WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(examples/${name}_as_written PROPERTIES TIMEOUT 120)
    endif()
endforeach()
