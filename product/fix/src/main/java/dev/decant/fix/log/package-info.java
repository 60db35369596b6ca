/** A log of received and sent messages, written by another thread. */
@NullMarked
package dev.decant.fix.log;

import org.jspecify.annotations.NullMarked;
