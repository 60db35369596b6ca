/**
 * What a client hands to its producers, consumers and transactions, which lie in packages of their own. Not exported.
 */
@NullMarked
package dev.decant.kafka.internal;

import org.jspecify.annotations.NullMarked;
