/**
 * The event loop: a selector, timers, tasks and connections with exactly one owner at a time. The owner is an I/O
 * thread, or the thread that waits for a result.
 */
@NullMarked
package dev.decant.loop;

import org.jspecify.annotations.NullMarked;
