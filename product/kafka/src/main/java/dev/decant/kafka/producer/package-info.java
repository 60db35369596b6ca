/** The producer: claim, encode in place, commit; then batch, send, acknowledge. */
@NullMarked
package dev.decant.kafka.producer;

import org.jspecify.annotations.NullMarked;
