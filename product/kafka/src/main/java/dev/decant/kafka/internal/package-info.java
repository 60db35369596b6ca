/**
 * The parts of a client that its producers, consumers and transactions share, and calls for Decant's own modules.
 * Exported only to these.
 */
@NullMarked
package dev.decant.kafka.internal;

import org.jspecify.annotations.NullMarked;
