/** Readers and writers over direct memory, and the bounded pool of that memory. */
@NullMarked
package dev.decant.buffer;

import org.jspecify.annotations.NullMarked;
