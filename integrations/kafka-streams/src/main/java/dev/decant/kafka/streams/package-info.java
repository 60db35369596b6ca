/** The clients of a Kafka Streams application. */
@NullMarked
package dev.decant.kafka.streams;

import org.jspecify.annotations.NullMarked;
