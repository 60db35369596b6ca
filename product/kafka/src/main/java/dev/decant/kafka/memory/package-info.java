/** The memory for records, and the threads that wait for it. Exported only to {@code dev.decant.kafka.apache}. */
@NullMarked
package dev.decant.kafka.memory;

import org.jspecify.annotations.NullMarked;
