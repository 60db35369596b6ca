/**
 * Transactions (KIP-98, KIP-890): their states, their requests to coordinators, and the sequence numbers of batches.
 * {@link dev.decant.kafka.transaction.TransactionSession} is the entry. Nothing here depends on the package {@code
 * producer}, which lies above. Not exported.
 */
@NullMarked
package dev.decant.kafka.transaction;

import org.jspecify.annotations.NullMarked;
