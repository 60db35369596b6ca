/**
 * The event loop: a selector, timers, tasks and connections with exactly one owner at a time, which is an I/O thread
 * or, for as long as it waits, the thread that needs the result.
 */
@NullMarked
package dev.decant.loop;

import org.jspecify.annotations.NullMarked;
