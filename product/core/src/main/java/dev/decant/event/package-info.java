/** Events that cost one load and one branch while there is no listener. */
@NullMarked
package dev.decant.event;

import org.jspecify.annotations.NullMarked;
