/**
 * A member of a group in a world without threads: application, network, broker and clock take their steps in an order
 * that is chosen by a seed or by a list, and a ledger checks each of them.
 */
@NullMarked
package dev.decant.kafka.interleaving;

import org.jspecify.annotations.NullMarked;
