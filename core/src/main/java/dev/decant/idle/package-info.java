/** What a thread does while it has nothing to do. */
@NullMarked
package dev.decant.idle;

import org.jspecify.annotations.NullMarked;
