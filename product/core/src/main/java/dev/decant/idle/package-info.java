/** How a thread waits for work. */
@NullMarked
package dev.decant.idle;

import org.jspecify.annotations.NullMarked;
