// Loops of a known, small count whose sums must stay in registers: functions that are always inlined, loops that are unrolled.
#ifndef SP_UNROLL_H
#define SP_UNROLL_H

#define SP_INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define SP_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SP_UNROLL _Pragma("GCC unroll 8")
#endif

#endif
