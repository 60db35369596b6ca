/** Messages in place: fields are read from received bytes, and written into the output. */
@NullMarked
package dev.decant.fix.message;

import org.jspecify.annotations.NullMarked;
