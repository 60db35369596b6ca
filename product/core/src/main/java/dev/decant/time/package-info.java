/** Time behind one interface, so that it can be injected. */
@NullMarked
package dev.decant.time;

import org.jspecify.annotations.NullMarked;
