/** Parallel work on the records of Apache's consumer. */
@NullMarked
package dev.decant.kafka.work.apache;

import org.jspecify.annotations.NullMarked;
