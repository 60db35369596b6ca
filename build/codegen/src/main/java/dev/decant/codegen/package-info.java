/**
 * Writes the codecs of Kafka's requests and responses from Apache's own message schemas. Runs while the protocol module
 * is built and is part of nothing that is shipped.
 */
@NullMarked
package dev.decant.codegen;

import org.jspecify.annotations.NullMarked;
