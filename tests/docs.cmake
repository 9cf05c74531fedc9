# The pages of docs/ with commands, and examples/python: tests/docs.py runs what they show. With the package `souple`, the Python of
# the pages too. A program without a sanitizer cannot load a library that has one, and commands are tested under sanitizers anyway.
set(SP_PYTHON_OF_TESTS /usr/bin/python3)
if(SP_IO AND NOT SP_SANITIZE AND EXISTS ${SP_PYTHON_OF_TESTS})
    file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/tutorials/*.md ${PROJECT_SOURCE_DIR}/docs/coming-from-*.md)
    foreach(page ${pages})
        get_filename_component(name ${page} NAME_WE)
        add_test(NAME docs/${name} COMMAND ${SP_PYTHON_OF_TESTS} ${CMAKE_CURRENT_SOURCE_DIR}/docs.py --souple $<TARGET_FILE:souple-command> ${page})
        set_tests_properties(docs/${name} PROPERTIES TIMEOUT 300)
    endforeach()
endif()
