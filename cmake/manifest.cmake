# Runs at the end of an installation: the list of its files, seen from the prefix, itself included.
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
set(text "")
foreach(file ${CMAKE_INSTALL_MANIFEST_FILES})
    file(RELATIVE_PATH relative ${CMAKE_INSTALL_PREFIX} ${file})
    string(APPEND text "${relative}\n")
endforeach()
file(WRITE "${root}/${SP_MANIFEST}" "${text}${SP_MANIFEST}\n")
