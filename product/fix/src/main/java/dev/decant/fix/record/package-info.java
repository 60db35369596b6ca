/** Records of a store in memory outside of the heap, and the sequence numbers that follow from them. */
@NullMarked
package dev.decant.fix.record;

import org.jspecify.annotations.NullMarked;
