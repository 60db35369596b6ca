/** Record batches, magic 2: written in place, read as views. */
@NullMarked
package dev.decant.kafka.record;

import org.jspecify.annotations.NullMarked;
