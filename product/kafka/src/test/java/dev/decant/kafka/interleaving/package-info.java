/**
 * A member of a group in a world without threads. Application, network, broker and clock take their steps in an order
 * that comes from a seed or a list, and a ledger checks each step.
 */
@NullMarked
package dev.decant.kafka.interleaving;

import org.jspecify.annotations.NullMarked;
