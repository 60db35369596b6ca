/**
 * What a codec for the records of a batch is, and how it is found. None and gzip are built in; the modules
 * {@code kafka-codec-lz4}, {@code kafka-codec-snappy} and {@code kafka-codec-zstd} bring the others.
 */
@NullMarked
package dev.decant.kafka.compression;

import org.jspecify.annotations.NullMarked;
