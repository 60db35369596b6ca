/** The memory that threads share and wait for. Not exported. */
@NullMarked
package dev.decant.kafka.memory;

import org.jspecify.annotations.NullMarked;
