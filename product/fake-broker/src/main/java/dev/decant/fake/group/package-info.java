/** The group coordinator: members, rebalances and committed offsets. */
@NullMarked
package dev.decant.fake.group;

import org.jspecify.annotations.NullMarked;
