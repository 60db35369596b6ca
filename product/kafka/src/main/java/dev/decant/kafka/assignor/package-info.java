/**
 * Who gets which partition in a group of the classic protocol: there the members' leader decides, with an
 * {@link dev.decant.kafka.assignor.Assignor} that all members have.
 */
@NullMarked
package dev.decant.kafka.assignor;

import org.jspecify.annotations.NullMarked;
