/** Messages in place: fields read from received bytes, and written into the outgoing buffer. */
@NullMarked
package dev.decant.fix.message;

import org.jspecify.annotations.NullMarked;
