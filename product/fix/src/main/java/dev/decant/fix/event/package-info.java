/** Events of sessions, which cost nothing while nobody listens. */
@NullMarked
package dev.decant.fix.event;

import org.jspecify.annotations.NullMarked;
