/** Membership in consumer groups, and committed offsets: the parts that run on the loop. Not exported. */
@NullMarked
package dev.decant.kafka.group;

import org.jspecify.annotations.NullMarked;
