/**
 * Assignors for groups of the classic protocol. There the members' leader assigns the partitions, with an {@link
 * dev.decant.kafka.assignor.Assignor} that all members have in common.
 */
@NullMarked
package dev.decant.kafka.assignor;

import org.jspecify.annotations.NullMarked;
