/** A sink for jobs of Apache Flink. */
@NullMarked
package dev.decant.flink;

import org.jspecify.annotations.NullMarked;
