// Clocks in milliseconds. Only differences are meaningful.
#ifndef SP_UTIL_CLOCK_H
#define SP_UTIL_CLOCK_H

double sp__now_ms(void);      // monotonic wall clock
double sp__process_ms(void);  // processor time of all threads of this process; 0: not available
double sp__thread_ms(void);   // processor time of the calling thread; 0: not available

#endif
