# Orderings that other libraries make: each is asked for by an option, used where it is found, and answered by a twin that says so
# where it is not.
function(sp_ordering_library option header library suffix define)
    if(NOT ${option})
        return()
    endif()
    find_path(${define}_INCLUDE ${header} PATH_SUFFIXES ${suffix})
    find_library(${define}_LIBRARY ${library})
    if(${define}_INCLUDE AND ${define}_LIBRARY)
        target_compile_definitions(souple PRIVATE ${define})
        target_include_directories(souple SYSTEM PRIVATE ${${define}_INCLUDE})
        target_link_libraries(souple PRIVATE ${${define}_LIBRARY})
    else()
        message(STATUS "${option}: lib${library} or ${header} not found, built without")
    endif()
endfunction()

sp_ordering_library(SP_METIS metis.h metis "" SP_HAVE_METIS)
sp_ordering_library(SP_AMD amd.h amd suitesparse SP_HAVE_AMD)
