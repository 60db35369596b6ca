/** Who talks to whom, and by which rules. */
@NullMarked
package dev.decant.fix.settings;

import org.jspecify.annotations.NullMarked;
