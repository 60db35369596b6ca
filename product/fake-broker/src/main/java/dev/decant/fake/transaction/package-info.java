/** Transactions: their coordinators, and the APIs of them. */
@NullMarked
package dev.decant.fake.transaction;

import org.jspecify.annotations.NullMarked;
