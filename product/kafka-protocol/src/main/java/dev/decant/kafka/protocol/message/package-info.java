/**
 * The requests and responses of Kafka's protocol. All classes but the helpers are generated from Apache Kafka's message
 * schemas.
 *
 * <p>A message is a mutable object that one thread uses at a time. Its fields have the schema's defaults until they are
 * set. A bytes field that was read from a frame is a slice of that frame, and valid as long as the frame's memory.
 */
@NullMarked
package dev.decant.kafka.protocol.message;

import org.jspecify.annotations.NullMarked;
