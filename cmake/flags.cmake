# One interface target with the warnings and the floating-point rules that everything of ours is built with.
find_package(Threads REQUIRED)

add_library(sp_flags INTERFACE)
target_compile_options(sp_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wvla
    -fvisibility=hidden -ffp-contract=off -fno-math-errno)
target_compile_definitions(sp_flags INTERFACE _POSIX_C_SOURCE=200809L)
if(SP_WERROR)
    target_compile_options(sp_flags INTERFACE -Werror)
endif()
if(SP_VALIDATE)
    target_compile_definitions(sp_flags INTERFACE SP_VALIDATE)
endif()
if(SP_SANITIZE)
    target_compile_options(sp_flags INTERFACE -fsanitize=${SP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # instrumented loops cannot all be unrolled; the build without instrumentation checks that
    if(CMAKE_C_COMPILER_ID MATCHES "Clang")
        target_compile_options(sp_flags INTERFACE -Wno-pass-failed)
    endif()
    target_link_options(sp_flags INTERFACE -fsanitize=${SP_SANITIZE})
endif()
# the engine is also meant to be linked into shared hosts
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# The vector kernels get their instruction set, and fused multiply-adds: bits are promised for one build, backend and lane width.
function(sp_kernel_flags)
    # all of a kernel is one function: under sanitizers it would take minutes to optimise. Addresses are checked, in large functions
    # by calls instead of inline (small ones run five times as fast inline); the arithmetic of indices is not
    set(level -O3)
    if(SP_SANITIZE)
        set(level -O1 -fno-sanitize=undefined)
        if(SP_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID MATCHES "Clang")
            list(APPEND level -mllvm -asan-instrumentation-with-call-threshold=300)
        elseif(SP_SANITIZE MATCHES "address")
            list(APPEND level "--param=asan-instrumentation-with-call-threshold=300")
        endif()
    endif()
    # vectors wider than the baseline's registers never cross a call: every kernel is inlined
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/backend/cpu/tet_generic.c
        ${PROJECT_SOURCE_DIR}/src/collide/layers_generic.c PROPERTIES COMPILE_OPTIONS "${level};-Wno-psabi")
    if(NOT SP_SANITIZE)
        file(GLOB series ${PROJECT_SOURCE_DIR}/src/rod/strand*.c)
        set_source_files_properties(${series} PROPERTIES COMPILE_OPTIONS "${level}")
    endif()
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/sparse/dense_generic.c
        ${PROJECT_SOURCE_DIR}/src/linear/multigrid_generic.c ${PROJECT_SOURCE_DIR}/src/contact/kernels_generic.c PROPERTIES COMPILE_OPTIONS "${level}")
    if(SP_SIMD AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        file(GLOB avx2 ${PROJECT_SOURCE_DIR}/src/backend/cpu/*_avx2.c ${PROJECT_SOURCE_DIR}/src/sparse/*_avx2.c
            ${PROJECT_SOURCE_DIR}/src/linear/*_avx2.c ${PROJECT_SOURCE_DIR}/src/contact/*_avx2.c
            ${PROJECT_SOURCE_DIR}/src/collide/*_avx2.c)
        set_source_files_properties(${avx2} PROPERTIES COMPILE_OPTIONS "${level};-mavx2;-mfma;-ffp-contract=fast")
        target_compile_definitions(souple PRIVATE SP_HAVE_AVX2)
    endif()
endfunction()
