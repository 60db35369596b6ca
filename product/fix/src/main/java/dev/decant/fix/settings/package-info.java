/** The identity of a session and its rules. */
@NullMarked
package dev.decant.fix.settings;

import org.jspecify.annotations.NullMarked;
