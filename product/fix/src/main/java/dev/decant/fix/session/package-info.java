/** The session layer: a state machine over bytes, to which time is passed in. */
@NullMarked
package dev.decant.fix.session;

import org.jspecify.annotations.NullMarked;
