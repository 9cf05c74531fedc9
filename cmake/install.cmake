# What `make install` puts where: libraries (shared and static), headers, pkg-config and CMake packages, the command with its man
# pages and completion, scenes, the schema, docs. Nothing installed knows the prefix: the tree may be moved.
include(GNUInstallDirs)
set(shared ON)
if(SP_SANITIZE)
    set(shared OFF)  # a sanitizer's run time belongs to the program
endif()
option(SP_SHARED "build the shared libraries too" ${shared})

set(SP_SONAME ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})  # below 1.0 every minor version may break

# what the libraries themselves stand on
set(SP_ENGINE_LIBRARIES "")
set(SP_FILE_LIBRARIES "")
foreach(have METIS AMD)
    if(SP_${have} AND SP_HAVE_${have}_LIBRARY)
        list(APPEND SP_ENGINE_LIBRARIES ${SP_HAVE_${have}_LIBRARY})
    endif()
endforeach()
if(SP_HDF5 AND SP_HAVE_HDF5_FOUND)
    # of HDF5 itself: what it needs in turn it names
    set(own ${SP_HAVE_HDF5_LIBRARIES})
    list(FILTER own INCLUDE REGEX "hdf5")
    list(APPEND SP_FILE_LIBRARIES ${own})
endif()
if(SP_ZLIB AND SP_HAVE_ZLIB_FOUND)
    list(APPEND SP_FILE_LIBRARIES ${SP_HAVE_ZLIB_LIBRARIES})
endif()

# ---------------------------------------------------------------------------------------------- shared libraries
# of the same objects as the static ones; libsouple-io uses of libsouple what include/souple exports, and nothing else
function(sp_shared_library name)
    add_library(${name}-shared SHARED $<TARGET_OBJECTS:${name}>)
    set_target_properties(${name}-shared PROPERTIES OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${SP_SONAME} LINKER_LANGUAGE C)
    target_link_libraries(${name}-shared PRIVATE souple-util ${ARGN})
    if(NOT APPLE)
        target_link_options(${name}-shared PRIVATE -Wl,--no-undefined -Wl,--as-needed)
    endif()
endfunction()

set(libraries souple)
if(SP_SHARED)
    sp_shared_library(souple m Threads::Threads ${SP_ENGINE_LIBRARIES})
    list(APPEND libraries souple-shared)
endif()
if(SP_IO)
    list(APPEND libraries souple-io)
    if(SP_SHARED)
        sp_shared_library(souple-io souple-shared LibXml2::LibXml2 PNG::PNG ${SP_FILE_LIBRARIES} m Threads::Threads)
        list(APPEND libraries souple-io-shared)
    endif()
endif()
install(TARGETS ${libraries} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# ---------------------------------------------------------------------------------------------- headers
set(headers base batch body contact extension mesh solve souple world)
if(SP_IO)
    list(APPEND headers io)
endif()
list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/include/souple/)
list(TRANSFORM headers APPEND .h)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/souple)

# ---------------------------------------------------------------------------------------------- packages
# a library as a linker's words: a folder of its own is named
function(sp_link_words out)
    set(words "")
    foreach(library ${ARGN})
        if(library MATCHES "^-")
            list(APPEND words ${library})
        else()
            get_filename_component(folder ${library} DIRECTORY)
            get_filename_component(name ${library} NAME)
            string(REGEX REPLACE "^lib(.*)\\.(so|a|dylib)[.0-9]*$" "\\1" name ${name})
            if(folder AND NOT folder MATCHES "^(/usr)?/lib(64|/[a-z0-9_]+-linux-[a-z0-9]+)?$")
                list(APPEND words -L${folder})
            endif()
            list(APPEND words -l${name})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES words)
    string(REPLACE ";" " " words "${words}")
    set(${out} "${words}" PARENT_SCOPE)
endfunction()

sp_link_words(SP_ENGINE_WORDS ${SP_ENGINE_LIBRARIES})
sp_link_words(SP_FILE_WORDS ${SP_FILE_LIBRARIES})

# where pkg-config knows a library its name is enough, wherever it will be
set(SP_PC_FILES "libxml-2.0 libpng")
set(rest ${SP_FILE_LIBRARIES})
find_program(SP_PKG_CONFIG pkg-config)
mark_as_advanced(SP_PKG_CONFIG)
foreach(pair hdf5:libhdf5 zlib:libz)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 module)
    list(GET pair 1 name)
    set(known 1)
    if(SP_PKG_CONFIG AND "${rest}" MATCHES "/${name}[^/]*(;|$)")
        execute_process(COMMAND ${SP_PKG_CONFIG} --exists ${module} RESULT_VARIABLE known)
    endif()
    if(known EQUAL 0)
        string(APPEND SP_PC_FILES " ${module}")
        list(FILTER rest EXCLUDE REGEX "/${name}[^/]*$")
    endif()
endforeach()
sp_link_words(SP_PC_WORDS ${rest})
file(RELATIVE_PATH SP_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" SP_UP "${SP_UP}")
file(RELATIVE_PATH SP_CMAKE_UP /${CMAKE_INSTALL_LIBDIR}/cmake/souple /)
string(REGEX REPLACE "/$" "" SP_CMAKE_UP "${SP_CMAKE_UP}")
set(package ${PROJECT_BINARY_DIR}/package)
configure_file(${CMAKE_CURRENT_LIST_DIR}/souple.pc.in ${package}/souple.pc @ONLY)
install(FILES ${package}/souple.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(SP_IO)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/souple-io.pc.in ${package}/souple-io.pc @ONLY)
    install(FILES ${package}/souple-io.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
include(CMakePackageConfigHelpers)
configure_file(${CMAKE_CURRENT_LIST_DIR}/souple-config.cmake.in ${package}/souple-config.cmake @ONLY)
write_basic_package_version_file(${package}/souple-config-version.cmake VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${package}/souple-config.cmake ${package}/souple-config-version.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/souple)

# ---------------------------------------------------------------------------------------------- the command and what it shows
if(SP_IO)
    install(TARGETS souple-command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(TARGETS souple-bench RUNTIME DESTINATION libexec/souple)  # where the command looks, seen from its own folder
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/souple PATTERN schema EXCLUDE)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/souple)
    # the manual is what the program says about itself
    add_custom_command(OUTPUT ${package}/manual
        COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:souple-command> -DOUT=${package} -P ${PROJECT_SOURCE_DIR}/cmake/manual.cmake
        DEPENDS souple-command ${PROJECT_SOURCE_DIR}/cmake/manual.cmake VERBATIM)
    add_custom_target(souple-manual ALL DEPENDS ${package}/manual)
    install(DIRECTORY ${package}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${package}/completion/souple.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME souple)
    install(FILES ${package}/completion/souple.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _souple)
    install(FILES ${package}/completion/souple.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
# ---------------------------------------------------------------------------------------------- the Python package
# where the Python that it was configured for looks, below a prefix: lib/python3.11/dist-packages
if(TARGET souple-python AND NOT SP_SANITIZE)
    execute_process(COMMAND ${SP_PYTHON_EXECUTABLE} -c "import sysconfig
scheme = 'posix_local' if 'posix_local' in sysconfig.get_scheme_names() else 'posix_prefix'
path = sysconfig.get_path('platlib', scheme, {'base': '', 'platbase': ''}).lstrip('/')
print(path[6:] if path.startswith('local/') else path)" OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(SP_PYTHON_DIR ${folder} CACHE STRING "folder of the Python package, relative to the prefix")
    install(TARGETS souple-python LIBRARY DESTINATION ${SP_PYTHON_DIR}/souple)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/souple DESTINATION ${SP_PYTHON_DIR} PATTERN __pycache__ EXCLUDE)
endif()

install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# what `make uninstall` takes away again: every file, seen from the prefix
install(CODE "set(SP_MANIFEST ${CMAKE_INSTALL_DATADIR}/souple/manifest.txt)")
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/manifest.cmake)
