/** Events of sessions, which cost nothing without listeners. */
@NullMarked
package dev.decant.fix.event;

import org.jspecify.annotations.NullMarked;
