/** Encoders that write into a batch and decoders that read from a view. */
@NullMarked
package dev.decant.kafka.serialization;

import org.jspecify.annotations.NullMarked;
