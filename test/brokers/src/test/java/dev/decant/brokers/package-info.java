/** What real brokers make of the client: groups, transactions, brokers that die, and Apache's clients beside ours. */
@NullMarked
package dev.decant.brokers;

import org.jspecify.annotations.NullMarked;
