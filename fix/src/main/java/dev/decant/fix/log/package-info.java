/** What came in and went out, written down by another thread. */
@NullMarked
package dev.decant.fix.log;

import org.jspecify.annotations.NullMarked;
