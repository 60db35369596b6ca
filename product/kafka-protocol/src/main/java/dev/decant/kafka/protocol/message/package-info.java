/**
 * The requests and responses. All but the helpers is generated from Apache Kafka's own message schemas.
 *
 * <p>
 * A message is a mutable object that one thread uses at a time. Its fields have the schema's defaults until they are
 * set. What was read from a frame and is bytes is a slice of that frame, and valid as long as it is.
 */
@NullMarked
package dev.decant.kafka.protocol.message;

import org.jspecify.annotations.NullMarked;
