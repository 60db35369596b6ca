/** Share groups: their members, and how far each record is that was delivered to them. Owner of the loop only. */
@NullMarked
package dev.decant.fake.share;

import org.jspecify.annotations.NullMarked;
