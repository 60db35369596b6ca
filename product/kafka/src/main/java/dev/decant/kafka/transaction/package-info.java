/**
 * Transactions (KIP-98, KIP-890): their states, what is told to coordinators, and the numbers of batches. {@link
 * dev.decant.kafka.transaction.TransactionSession} is the entry; nothing here knows the package {@code producer}, which
 * lies above. Not exported.
 */
@NullMarked
package dev.decant.kafka.transaction;

import org.jspecify.annotations.NullMarked;
