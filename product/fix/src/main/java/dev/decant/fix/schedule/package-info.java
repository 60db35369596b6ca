/** Trading hours: when sessions are open, and when their sequence numbers are reset. */
@NullMarked
package dev.decant.fix.schedule;

import org.jspecify.annotations.NullMarked;
