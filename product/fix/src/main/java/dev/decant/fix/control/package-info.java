/** The control socket of a running engine. */
@NullMarked
package dev.decant.fix.control;

import org.jspecify.annotations.NullMarked;
