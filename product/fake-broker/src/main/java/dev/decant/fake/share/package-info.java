/** Share groups: their members, and the state of each delivered record. Owner of the loop only. */
@NullMarked
package dev.decant.fake.share;

import org.jspecify.annotations.NullMarked;
