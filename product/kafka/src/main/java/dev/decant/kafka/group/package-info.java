/** Membership in consumer groups and committed offsets, as far as the loop does it. Not exported. */
@NullMarked
package dev.decant.kafka.group;

import org.jspecify.annotations.NullMarked;
