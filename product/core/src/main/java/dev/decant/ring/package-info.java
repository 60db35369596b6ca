/** Positions of a bounded ring between two threads. */
@NullMarked
package dev.decant.ring;

import org.jspecify.annotations.NullMarked;
