/** Logs of received and sent messages, which another thread writes. */
@NullMarked
package dev.decant.fix.log;

import org.jspecify.annotations.NullMarked;
