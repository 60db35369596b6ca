/** Readers and writers over direct memory, and the bounded pool that memory comes from. */
@NullMarked
package dev.decant.buffer;

import org.jspecify.annotations.NullMarked;
